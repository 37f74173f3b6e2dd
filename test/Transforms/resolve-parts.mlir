// A tile that comes to its readers by fetch, broadcast or lists, and of which each
// reads only a part, travels in parts.
//
// RUN: mercury-opt %s --mercury-verify-distributed --mercury-resolve-communication --canonicalize --cse --mercury-verify-communication | FileCheck %s
//
// RUN: mercury-run %s --entry=fetched --verify --strict --local=loops | FileCheck %s --check-prefix=VERIFIED
// RUN: mercury-run %s --entry=fetched_in_order --verify --strict --local=loops | FileCheck %s --check-prefix=VERIFIED
// RUN: mercury-run %s --entry=broadcast --verify --strict --local=loops | FileCheck %s --check-prefix=VERIFIED
// RUN: mercury-run %s --entry=lists --verify --strict --local=loops | FileCheck %s --check-prefix=VERIFIED
// RUN: mercury-run %s --entry=overlapping --verify --strict --local=loops | FileCheck %s --check-prefix=VERIFIED
// RUN: mercury-run %s --entry=two_parts --verify --strict --local=loops | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: {{verified$}}

#by2 = affine_map<(d0) -> (d0 * 2)>
#by3 = affine_map<(d0) -> (d0 * 3)>
#by4 = affine_map<(d0) -> (d0 * 4)>
#by8 = affine_map<(d0) -> (d0 * 8)>
#next = affine_map<(d0) -> ((d0 * 2 + 2) mod 8)>

commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// The parts are packed once; each step's is then contiguous.
//
// CHECK-LABEL: func.func @fetched(
// CHECK: linalg.transpose
// CHECK: scf.for
// CHECK: %[[PART:.+]] = tensor.extract_slice %{{.+}}[%{{.+}}, 0, 0] [1, 2, 2] {{.*}} tensor<4x2x2xf32> to tensor<2x2xf32>
// CHECK: commir.permute %[[PART]]
// CHECK-NOT: commir.permute
// CHECK: return
func.func @fetched(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.replicate %a : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] fetch {gpu} : tensor<8x8xf32>
  %cp = commir.shard %c to [{}, {gpu}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %r mod 4
      %col = affine.apply #by2(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[0, %k] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
      %ot = tensor.extract_slice %o[0, %col] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
      %bt = tensor.extract_slice %b1[%k, %col] [2, 2] [1, 1] : tensor<8x8xf32> to tensor<2x2xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<16x2xf32>, tensor<2x2xf32>) outs(%ot : tensor<16x2xf32>) -> tensor<16x2xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[0, %col] [16, 2] [1, 1] : tensor<16x2xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// Where the parts are contiguous as they are, nothing is packed.
//
// CHECK-LABEL: func.func @fetched_in_order(
// CHECK-SAME: %[[B:[^:]+]]: tensor<8x2xf32>
// CHECK-NOT: linalg.transpose
// CHECK: %[[PARTS:.+]] = tensor.expand_shape %[[B]]
// CHECK: scf.for
// CHECK: %[[PART:.+]] = tensor.extract_slice %[[PARTS]][%{{.+}}, 0, 0] [1, 2, 2]
// CHECK: commir.permute %[[PART]]
// CHECK: return
func.func @fetched_in_order(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.replicate %a : tensor<16x8xf32>
  %b1 = commir.shard %b to [{}, {gpu}] fetch {gpu} : tensor<8x8xf32>
  %cp = commir.shard %c to [{}, {gpu}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %r mod 4
      %col = affine.apply #by2(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[0, %k] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
      %ot = tensor.extract_slice %o[0, %col] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
      %bt = tensor.extract_slice %b1[%col, %k] [2, 2] [1, 1] : tensor<8x8xf32> to tensor<2x2xf32>
      %d = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%at, %bt : tensor<16x2xf32>, tensor<2x2xf32>) outs(%ot : tensor<16x2xf32>) -> tensor<16x2xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[0, %col] [16, 2] [1, 1] : tensor<16x2xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// All ranks that a broadcast reaches read the same part.
//
// CHECK-LABEL: func.func @broadcast(
// CHECK: linalg.transpose
// CHECK: scf.for
// CHECK: %[[PART:.+]] = tensor.extract_slice %{{.+}}[%{{.+}}, 0, 0] [1, 4, 4] {{.*}} tensor<2x4x4xf32> to tensor<4x4xf32>
// CHECK: commir.broadcast %[[PART]] into %{{.+}} over {node} : tensor<4x4xf32>
// CHECK: return
func.func @broadcast(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @grid} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a1 = commir.shard %a to [{node}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{node}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{node}, {gpu}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c2 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%p, %q) in (2, 2) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %row = affine.apply #by8(%p)
      %col = affine.apply #by4(%q)
      %k = affine.apply #by4(%t)
      %at = tensor.extract_slice %a1[%row, %k] [8, 4] [1, 1] : tensor<16x8xf32> to tensor<8x4xf32>
      %bt = tensor.extract_slice %b1[%k, %col] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
      %ot = tensor.extract_slice %o[%row, %col] [8, 4] [1, 1] : tensor<16x8xf32> to tensor<8x4xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<8x4xf32>, tensor<4x4xf32>) outs(%ot : tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, %col] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// Each owner sends to each of its readers what that one reads.
//
// CHECK-LABEL: func.func @lists(
// CHECK: scf.for
// CHECK: tensor.extract_slice %{{.+}} [1, 2, 2] {{.*}} tensor<4x2x2xf32> to tensor<2x2xf32>
// CHECK: commir.permute %{{.+}} : tensor<2x2xf32>
// CHECK: tensor.extract_slice %{{.+}} [1, 2, 2] {{.*}} tensor<4x2x2xf32> to tensor<2x2xf32>
// CHECK: commir.permute %{{.+}} : tensor<2x2xf32>
// CHECK: return
func.func @lists(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.replicate %a : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{}, {gpu}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c3 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %is2 = arith.cmpi eq, %r, %c2 : index
      %is3 = arith.cmpi eq, %r, %c3 : index
      %e3 = arith.select %is3, %c1, %c0 : index
      %e2 = arith.select %is2, %c3, %e3 : index
      %tt = arith.muli %t, %c3 : index
      %sum = arith.addi %e2, %tt : index
      %s = arith.remui %sum, %c4 : index
      %col = affine.apply #by2(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[0, %k] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
      %ot = tensor.extract_slice %o[0, %col] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
      %bt = tensor.extract_slice %b1[%k, %col] [2, 2] [1, 1] : tensor<8x8xf32> to tensor<2x2xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<16x2xf32>, tensor<2x2xf32>) outs(%ot : tensor<16x2xf32>) -> tensor<16x2xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[0, %col] [16, 2] [1, 1] : tensor<16x2xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// What readers take overlaps: whole blocks travel.
//
// CHECK-LABEL: func.func @overlapping(
// CHECK-SAME: %[[B:[^:]+]]: tensor<2x8xf32>
// CHECK: commir.permute %[[B]] into
// CHECK: return
func.func @overlapping(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x12xf32>) -> tensor<16x12xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.replicate %a : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] fetch {gpu} : tensor<8x8xf32>
  %cp = commir.shard %c to [{}, {gpu}] : tensor<16x12xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x12xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x12xf32>) {
      %s = commir.shift %t by %r mod 4
      %col = affine.apply #by2(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[0, %k] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
      %col3 = affine.apply #by3(%r)
      %ot = tensor.extract_slice %o[0, %col3] [16, 3] [1, 1] : tensor<16x12xf32> to tensor<16x3xf32>
      %bt = tensor.extract_slice %b1[%k, %r] [2, 3] [1, 1] : tensor<8x8xf32> to tensor<2x3xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<16x2xf32>, tensor<2x3xf32>) outs(%ot : tensor<16x3xf32>) -> tensor<16x3xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[0, %col3] [16, 3] [1, 1] : tensor<16x3xf32> into tensor<16x12xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x12xf32>
  }
  return %y : tensor<16x12xf32>
}

// A rank reads two parts of a tile, which comes once.
//
// CHECK-LABEL: func.func @two_parts(
// CHECK-SAME: %[[B:[^:]+]]: tensor<2x8xf32>
// CHECK: commir.permute %[[B]] into
// CHECK-NOT: commir.permute
// CHECK: return
func.func @two_parts(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.replicate %a : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] fetch {gpu} : tensor<8x8xf32>
  %cp = commir.shard %c to [{}, {gpu}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %r mod 4
      %col = affine.apply #by2(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[0, %k] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
      %ot = tensor.extract_slice %o[0, %col] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
      %bt = tensor.extract_slice %b1[%k, %col] [2, 2] [1, 1] : tensor<8x8xf32> to tensor<2x2xf32>
      %next = affine.apply #next(%r)
      %bn = tensor.extract_slice %b1[%k, %next] [2, 2] [1, 1] : tensor<8x8xf32> to tensor<2x2xf32>
      %d0 = linalg.matmul ins(%at, %bt : tensor<16x2xf32>, tensor<2x2xf32>) outs(%ot : tensor<16x2xf32>) -> tensor<16x2xf32>
      %d = linalg.matmul ins(%at, %bn : tensor<16x2xf32>, tensor<2x2xf32>) outs(%d0 : tensor<16x2xf32>) -> tensor<16x2xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[0, %col] [16, 2] [1, 1] : tensor<16x2xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}
