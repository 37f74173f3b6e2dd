// Every form of communication, found from loop nests that were written by hand.
// test/Integration/Threads/forms.test runs each function on ranks.
//
// RUN: mercury-opt %s --mercury-verify-distributed --mercury-resolve-communication --canonicalize --cse | FileCheck %s
//
// Index arithmetic that other passes have rewritten resolves to the same.
// RUN: mercury-opt %s --canonicalize --cse --mercury-verify-distributed --mercury-resolve-communication --canonicalize --cse | FileCheck %s

#by2 = affine_map<(d0) -> (d0 * 2)>
#by4 = affine_map<(d0) -> (d0 * 4)>
#by8 = affine_map<(d0) -> (d0 * 8)>
#pair4 = affine_map<(d0, d1) -> (d0 * 8 + d1 * 4)>
#pair2 = affine_map<(d0, d1) -> (d0 * 4 + d1 * 2)>

commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @five levels [#commir.level<gpu, 5>]
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// Reader and owner are the same at every step.
//
// CHECK-LABEL: func.func @local(
// CHECK-SAME: %[[A:.+]]: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<8x8xf32> {{.*}}, %[[C:.+]]: tensor<4x8xf32> {
// CHECK-NEXT: %[[R:.+]] = linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT: return %[[R]] : tensor<4x8xf32>
func.func @local(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.replicate %b : tensor<8x8xf32>
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<16x8xf32>) {
    %row = affine.apply #by4(%r)
    %at = tensor.extract_slice %a1[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %d = linalg.matmul ins(%at, %b1 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<16x8xf32>
}

// Every rank reads all of B.
//
// CHECK-LABEL: func.func @one_operand_gathered(
// CHECK-SAME: %[[A:.+]]: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32> {{.*}}, %[[C:.+]]: tensor<4x8xf32> {
// CHECK: %[[G:.+]] = commir.all_gather %[[B]] into %{{.+}} over {gpu} : tensor<2x8xf32> into tensor<4x2x8xf32>
// CHECK-NEXT: %[[W:.+]] = tensor.collapse_shape %[[G]] {{\[}}[0, 1], [2]] : tensor<4x2x8xf32> into tensor<8x8xf32>
// CHECK-NEXT: linalg.matmul ins(%[[A]], %[[W]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT: return
func.func @one_operand_gathered(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<16x8xf32>) {
    %row = affine.apply #by4(%r)
    %at = tensor.extract_slice %a1[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %d = linalg.matmul ins(%at, %b1 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<16x8xf32>
}

// At each step all ranks read the tile of one owner.
//
// CHECK-LABEL: func.func @broadcast_each_step(
// CHECK-SAME: %[[A:.+]]: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32> {{.*}}, %[[C:.+]]: tensor<4x8xf32> {
// CHECK: scf.for %[[T:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %[[C]])
// CHECK: commir.broadcast %[[B]] into %{{.+}} from %[[T]] over {gpu} : tensor<2x8xf32>
// CHECK-NOT: commir.
// CHECK: return
func.func @broadcast_each_step(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %row = affine.apply #by4(%r)
      %k = affine.apply #by2(%t)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// At each step a rank reads the tile that the rank ahead has read.
//
// CHECK-LABEL: func.func @one_operand_rotated(
// CHECK-SAME: %[[A:.+]]: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32> {{.*}}, %[[C:.+]]: tensor<4x8xf32> {
// CHECK-NEXT: %[[R:.+]] = commir.rotate steps 4 travel(%[[B]] : tensor<2x8xf32>) state(%[[C]] : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>]
// CHECK-NEXT: ^bb0(%[[T:.+]]: index, %[[BT:.+]]: tensor<2x8xf32>, %[[CT:.+]]: tensor<4x8xf32>):
// CHECK: %[[AT:.+]] = tensor.extract_slice %[[A]][0, %{{.+}}] [4, 2]
// CHECK-NEXT: %[[D:.+]] = linalg.matmul ins(%[[AT]], %[[BT]] : {{.*}}) outs(%[[CT]] :
// CHECK-NEXT: commir.rotate_yield %[[D]]
// CHECK: return %[[R]]
func.func @one_operand_rotated(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %r mod 4
      %row = affine.apply #by4(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// The shift as arith.remui, offsets by multiplication and addition.
//
// CHECK-LABEL: func.func @rotated_by_remainder(
// CHECK: commir.rotate steps 4 travel(%{{.+}} : tensor<2x8xf32>) state(%{{.+}} : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>]
// CHECK-NOT: commir.{{[a-qs-z]}}
// CHECK: return
func.func @rotated_by_remainder(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %t2 = arith.muli %t, %c2 : index
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %r2 = arith.addi %r, %r : index
      %sum = arith.addi %t2, %r2 : index
      %c8 = arith.constant 8 : index
      %k = arith.remui %sum, %c8 : index
      %row = arith.shli %r, %c2 : index
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// The shift as an affine map with floordiv.
//
// CHECK-LABEL: func.func @rotated_by_floordiv(
// CHECK: commir.rotate steps 4 travel(%{{.+}} : tensor<2x8xf32>) state(%{{.+}} : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>]
// CHECK-NOT: commir.{{[a-qs-z]}}
// CHECK: return
func.func @rotated_by_floordiv(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %row = affine.apply #by4(%r)
      %k = affine.apply affine_map<(d0, d1) -> ((d0 + d1 - ((d0 + d1) floordiv 4) * 4) * 2)>(%t, %r)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// The shift through i32, by compare and select: no form that anyone would match.
//
// CHECK-LABEL: func.func @rotated_by_select(
// CHECK: commir.rotate steps 4 travel(%{{.+}} : tensor<2x8xf32>) state(%{{.+}} : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>]
// CHECK-NOT: commir.{{[a-qs-z]}}
// CHECK: return
func.func @rotated_by_select(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i4 = arith.constant 4 : i32
  %i2 = arith.constant 2 : i32
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %row = affine.apply #by4(%r)
      %ti = arith.index_cast %t : index to i32
      %ri = arith.index_cast %r : index to i32
      %sum = arith.addi %ti, %ri : i32
      %less = arith.cmpi slt, %sum, %i4 : i32
      %wrapped = arith.subi %sum, %i4 : i32
      %s = arith.select %less, %sum, %wrapped : i32
      %s2 = arith.muli %s, %i2 : i32
      %k = arith.index_cast %s2 : i32 to index
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// The other way round: rank r starts with the tile of rank -r, which a permutation
// brings.
//
// CHECK-LABEL: func.func @rotated_by_stride_minus_one(
// CHECK-SAME: %{{.+}}: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32>
// CHECK: %[[P:.+]] = commir.permute %[[B]] into %{{.+}} to %{{.+}} from %{{.+}} over {gpu} : tensor<2x8xf32>
// CHECK: commir.rotate steps 4 travel(%[[P]] : tensor<2x8xf32>) state({{.*}}) by [#commir.hop<{gpu} by -1>]
// CHECK: return
func.func @rotated_by_stride_minus_one(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %r stride -1 mod 4
      %row = affine.apply #by4(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// (t + 2r) mod 5: a hop over two ranks, and a permutation first.
//
// CHECK-LABEL: func.func @rotated_by_stride_two(
// CHECK-SAME: %{{.+}}: tensor<4x10xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32>
// CHECK: %[[P:.+]] = commir.permute %[[B]] into %{{.+}} to %{{.+}} from %{{.+}} over {gpu} : tensor<2x8xf32>
// CHECK: commir.rotate steps 5 travel(%[[P]] : tensor<2x8xf32>) state({{.*}}) by [#commir.hop<{gpu} by -2>]
// CHECK: return
func.func @rotated_by_stride_two(%a: tensor<20x10xf32>, %b: tensor<10x8xf32>, %c: tensor<20x8xf32>) -> tensor<20x8xf32> attributes {commir.topology = @five} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<20x10xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<10x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<20x8xf32>
  %y = scf.for %t = %c0 to %c5 step %c1 iter_args(%x = %cp) -> (tensor<20x8xf32>) {
    %n = scf.forall (%r) in (5) shared_outs(%o = %x) -> (tensor<20x8xf32>) {
      %s = commir.shift %t by %r stride 2 mod 5
      %row = affine.apply #by4(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<20x10xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<10x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<20x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<20x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<20x8xf32>
  }
  return %y : tensor<20x8xf32>
}

// The step counts twice, the rank once: hops of two ranks, from the own tile on.
//
// CHECK-LABEL: func.func @rotated_two_ranks_a_step(
// CHECK-NOT: commir.permute
// CHECK: commir.rotate steps 5 travel(%{{.+}} : tensor<2x8xf32>) state({{.*}}) by [#commir.hop<{gpu} by 2>]
// CHECK: return
func.func @rotated_two_ranks_a_step(%a: tensor<20x10xf32>, %b: tensor<10x8xf32>, %c: tensor<20x8xf32>) -> tensor<20x8xf32> attributes {commir.topology = @five} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<20x10xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<10x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<20x8xf32>
  %y = scf.for %t = %c0 to %c5 step %c1 iter_args(%x = %cp) -> (tensor<20x8xf32>) {
    %n = scf.forall (%r) in (5) shared_outs(%o = %x) -> (tensor<20x8xf32>) {
      %row = affine.apply #by4(%r)
      %k = affine.apply affine_map<(d0, d1) -> (((d0 * 2 + d1) mod 5) * 2)>(%t, %r)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<20x10xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<10x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<20x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<20x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<20x8xf32>
  }
  return %y : tensor<20x8xf32>
}

// Two tiles of one tensor, one each way round.
//
// CHECK-LABEL: func.func @rotated_both_ways(
// CHECK-SAME: %{{.+}}: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32>
// CHECK: %[[P:.+]] = commir.permute %[[B]]
// CHECK: commir.rotate steps 4 travel(%[[B]], %[[P]] : tensor<2x8xf32>, tensor<2x8xf32>) state({{.*}}) by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by -1>]
// CHECK: return
func.func @rotated_both_ways(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %r mod 4
      %u = commir.shift %t by %r stride -1 mod 4
      %row = affine.apply #by4(%r)
      %k = affine.apply #by2(%s)
      %l = affine.apply #by2(%u)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %bu = tensor.extract_slice %b1[%l, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      %g = linalg.matmul ins(%at, %bu : tensor<4x2xf32>, tensor<2x8xf32>) outs(%d : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %g into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// A ring of rings: the inner one turns at each step, the outer one after each of
// its turns.
//
// CHECK-LABEL: func.func @rotation_over_two_levels(
// CHECK-SAME: %{{.+}}: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32>
// CHECK: commir.rotate steps 2 travel(%[[B]] : tensor<2x8xf32>) state({{.*}}) by [#commir.hop<{node} by 1>]
// CHECK-NEXT: ^bb0(%{{.+}}: index, %[[OUTER:.+]]: tensor<2x8xf32>, %[[C:.+]]: tensor<4x8xf32>):
// CHECK: %[[IN:.+]] = commir.rotate steps 2 travel(%[[OUTER]] : tensor<2x8xf32>) state(%[[C]] : {{.*}}) by [#commir.hop<{gpu} by 1>]
// CHECK: linalg.matmul
// CHECK: commir.rotate_yield %[[IN]]
// CHECK: return
func.func @rotation_over_two_levels(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @grid} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a1 = commir.shard %a to [{node, gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{node, gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{node, gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c2 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %z = scf.for %u = %c0 to %c2 step %c1 iter_args(%v = %x) -> (tensor<16x8xf32>) {
      %w = scf.forall (%n, %g) in (2, 2) shared_outs(%o = %v) -> (tensor<16x8xf32>) {
        %sn = commir.shift %t by %n mod 2
        %sg = commir.shift %u by %g mod 2
        %row = affine.apply #pair4(%n, %g)
        %k = affine.apply #pair2(%sn, %sg)
        %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
        %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
        %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
        %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
        }
      } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
      scf.yield %w : tensor<16x8xf32>
    }
    scf.yield %z : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// One ring through all ranks of two levels.
//
// CHECK-LABEL: func.func @flat_ring_over_two_levels(
// CHECK: commir.rotate steps 4 travel(%{{.+}} : tensor<2x8xf32>) state({{.*}}) by [#commir.hop<{node, gpu} by 1>]
// CHECK-NOT: commir.rotate steps
// CHECK: return
func.func @flat_ring_over_two_levels(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @grid} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{node, gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{node, gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{node, gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %w = scf.forall (%n, %g) in (2, 2) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %k = affine.apply affine_map<(d0, d1, d2) -> (((d0 + d1 * 2 + d2) mod 4) * 2)>(%t, %n, %g)
      %row = affine.apply #pair4(%n, %g)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
    scf.yield %w : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// The same tiles as those that rotate, but each comes from its owner.
//
// CHECK-LABEL: func.func @fetched_from_the_owner(
// CHECK-SAME: %{{.+}}: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32>
// CHECK-NOT: commir.rotate
// CHECK: scf.for
// CHECK: commir.permute %[[B]] into %{{.+}} to %{{.+}} from %{{.+}} over {gpu} : tensor<2x8xf32>
// CHECK-NOT: commir.rotate
// CHECK: return
func.func @fetched_from_the_owner(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] fetch {gpu} : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %r mod 4
      %row = affine.apply #by4(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// A permutation at each step that no hop advances (t xor r): fetched, too.
//
// CHECK-LABEL: func.func @fetched_by_exclusive_or(
// CHECK-SAME: %{{.+}}: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32>
// CHECK-NOT: commir.rotate
// CHECK: scf.for
// CHECK: commir.permute %[[B]] into %{{.+}} to %{{.+}} from %{{.+}} over {gpu} : tensor<2x8xf32>
// CHECK-NOT: commir.rotate
// CHECK: return
func.func @fetched_by_exclusive_or(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = arith.xori %t, %r : index
      %row = affine.apply #by4(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// The sharded dimension changes.
//
// CHECK-LABEL: func.func @all_to_all(
// CHECK-SAME: %{{.+}}: tensor<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.placement = #commir.placement<[{gpu}, {}]>}
// CHECK: commir.all_to_all %{{.+}} into %{{.+}} over {gpu} : tensor<4x{{.*}}xf32>
// CHECK-NOT: commir.
// CHECK: linalg.matmul
// CHECK: return %{{.+}} : tensor<8x2xf32>
func.func @all_to_all(%b: tensor<16x8xf32>, %a: tensor<8x16xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @ring} {
  %b0 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.reshard %b0 to [{}, {gpu}] : tensor<16x8xf32>
  %a1 = commir.replicate %a : tensor<8x16xf32>
  %c1 = commir.shard %c to [{}, {gpu}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %col = affine.apply #by2(%r)
    %bt = tensor.extract_slice %b1[0, %col] [16, 2] [1, 1] : tensor<16x8xf32> to tensor<16x2xf32>
    %ot = tensor.extract_slice %o[0, %col] [8, 2] [1, 1] : tensor<8x8xf32> to tensor<8x2xf32>
    %d = linalg.matmul ins(%a1, %bt : tensor<8x16xf32>, tensor<16x2xf32>) outs(%ot : tensor<8x2xf32>) -> tensor<8x2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[0, %col] [8, 2] [1, 1] : tensor<8x2xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// Partial results in slots, reduced onto every rank. What enters with the init
// enters once.
//
// CHECK-LABEL: func.func @parallel_reduction_all_reduce(
// CHECK-SAME: %[[C:[^:]+]]: tensor<8x8xf32> {commir.global_type = tensor<8x8xf32>, commir.placement = #commir.placement<[{}, {}]>}) ->
// CHECK: %[[P:.+]] = linalg.matmul
// CHECK: %[[R:.+]] = commir.all_reduce sum %[[P]] over {gpu} : tensor<8x8xf32>
// CHECK: %[[S:.+]] = linalg.{{add|generic|map}}{{.*}}%[[C]]
// CHECK: return %{{.+}} : tensor<8x8xf32>
func.func @parallel_reduction_all_reduce(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @ring} {
  %zero = arith.constant 0.0 : f32
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<8x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %e = tensor.empty() : tensor<4x8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %p = commir.shard %z to [{gpu}, {}, {}] : tensor<4x8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %p) -> (tensor<4x8x8xf32>) {
    %k = affine.apply #by4(%r)
    %at = tensor.extract_slice %a1[0, %k] [8, 4] [1, 1] : tensor<8x16xf32> to tensor<8x4xf32>
    %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %ot = tensor.extract_slice %o[%r, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<4x8x8xf32> to tensor<8x8xf32>
    %d = linalg.matmul ins(%at, %bt : tensor<8x4xf32>, tensor<4x8xf32>) outs(%ot : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<8x8xf32> into tensor<4x8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %c1 = commir.replicate %c : tensor<8x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%y : tensor<4x8x8xf32>) outs(%c1 : tensor<8x8xf32>) dimensions = [0]
  %placed = commir.replicate %sum : tensor<8x8xf32>
  return %placed : tensor<8x8xf32>
}

// The reduced result is sharded by rows over the same axis.
//
// CHECK-LABEL: func.func @parallel_reduction_scattered_onto_rows(
// CHECK: linalg.matmul
// CHECK: commir.reduce_scatter sum %{{.+}} into %{{.+}} over {gpu} : tensor<4x2x8xf32> into tensor<2x8xf32>
// CHECK-NOT: commir.
// CHECK: return %{{.+}} : tensor<2x8xf32>
func.func @parallel_reduction_scattered_onto_rows(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @ring} {
  %zero = arith.constant 0.0 : f32
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<8x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %e = tensor.empty() : tensor<4x8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %p = commir.shard %z to [{gpu}, {}, {}] : tensor<4x8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %p) -> (tensor<4x8x8xf32>) {
    %k = affine.apply #by4(%r)
    %at = tensor.extract_slice %a1[0, %k] [8, 4] [1, 1] : tensor<8x16xf32> to tensor<8x4xf32>
    %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %ot = tensor.extract_slice %o[%r, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<4x8x8xf32> to tensor<8x8xf32>
    %d = linalg.matmul ins(%at, %bt : tensor<8x4xf32>, tensor<4x8xf32>) outs(%ot : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<8x8xf32> into tensor<4x8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%y : tensor<4x8x8xf32>) outs(%c1 : tensor<8x8xf32>) dimensions = [0]
  %placed = commir.shard %sum to [{gpu}, {}] : tensor<8x8xf32>
  return %placed : tensor<8x8xf32>
}

// By columns: blocks are packed first.
//
// CHECK-LABEL: func.func @parallel_reduction_scattered_onto_columns(
// CHECK: linalg.matmul
// CHECK: linalg.transpose
// CHECK: commir.reduce_scatter sum %{{.+}} into %{{.+}} over {gpu} : tensor<4x8x2xf32> into tensor<8x2xf32>
// CHECK-NOT: commir.
// CHECK: return %{{.+}} : tensor<8x2xf32>
func.func @parallel_reduction_scattered_onto_columns(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @ring} {
  %zero = arith.constant 0.0 : f32
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<8x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %e = tensor.empty() : tensor<4x8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %p = commir.shard %z to [{gpu}, {}, {}] : tensor<4x8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %p) -> (tensor<4x8x8xf32>) {
    %k = affine.apply #by4(%r)
    %at = tensor.extract_slice %a1[0, %k] [8, 4] [1, 1] : tensor<8x16xf32> to tensor<8x4xf32>
    %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %ot = tensor.extract_slice %o[%r, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<4x8x8xf32> to tensor<8x8xf32>
    %d = linalg.matmul ins(%at, %bt : tensor<8x4xf32>, tensor<4x8xf32>) outs(%ot : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<8x8xf32> into tensor<4x8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %c1 = commir.shard %c to [{}, {gpu}] : tensor<8x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%y : tensor<4x8x8xf32>) outs(%c1 : tensor<8x8xf32>) dimensions = [0]
  %placed = commir.shard %sum to [{}, {gpu}] : tensor<8x8xf32>
  return %placed : tensor<8x8xf32>
}

// Partial sums travel; with an offset of one the last step is at the owner. The
// body computes contributions, the combine region adds them to what arrives.
//
// CHECK-LABEL: func.func @moving_partial_sums(
// CHECK-SAME: %[[C:[^:]+]]: tensor<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.placement = #commir.placement<[{gpu}, {}]>}) ->
// CHECK: %[[M:.+]] = commir.rotate steps 4 carry(%{{.+}} : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>]
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK: commir.rotate_yield
// CHECK: combine
// CHECK: commir.rotate_yield
// CHECK-NOT: commir.permute
// CHECK: {{.*}}%[[C]]
// CHECK: return
func.func @moving_partial_sums(%a: tensor<16x16xf32>, %b: tensor<16x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<16x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %row = affine.apply affine_map<(d0, d1) -> (((d0 + d1 + 1) mod 4) * 4)>(%t, %r)
      %k = affine.apply #by4(%r)
      %at = tensor.extract_slice %a1[%row, %k] [4, 4] [1, 1] : tensor<16x16xf32> to tensor<4x4xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x4xf32>, tensor<4x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// Without the offset the last holder is not the owner: a last hop home.
//
// CHECK-LABEL: func.func @moving_partial_sums_with_a_hop_home(
// CHECK: %[[M:.+]] = commir.rotate steps 4 carry(%{{.+}} : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>]
// CHECK: combine
// CHECK: commir.permute %[[M]] into %{{.+}} to %{{.+}} from %{{.+}} over {gpu} : tensor<4x8xf32>
// CHECK: return
func.func @moving_partial_sums_with_a_hop_home(%a: tensor<16x16xf32>, %b: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<16x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %e = tensor.empty() : tensor<16x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %cp = commir.shard %z to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %r mod 4
      %row = affine.apply #by4(%s)
      %k = affine.apply #by4(%r)
      %at = tensor.extract_slice %a1[%row, %k] [4, 4] [1, 1] : tensor<16x16xf32> to tensor<4x4xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x4xf32>, tensor<4x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// The reduction loop in a parallel factor (slots) and a time factor (a step adds
// to the rank's own slot), whose tiles of B rotate over the other axis.
//
// CHECK-LABEL: func.func @reduction_in_a_parallel_and_a_time_factor(
// CHECK: commir.rotate steps 2 travel(%{{.+}} : tensor<4x8xf32>) state(%{{.+}} : tensor<1x8x8xf32>) by [#commir.hop<{gpu} by 1>]
// CHECK: commir.all_reduce sum %{{.+}} over {node} : tensor<8x8xf32>
// CHECK-NOT: over {gpu}
// CHECK: return %{{.+}} : tensor<8x8xf32>
func.func @reduction_in_a_parallel_and_a_time_factor(%a: tensor<16x16xf32>, %b: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @grid} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %a1 = commir.shard %a to [{gpu}, {node}] : tensor<16x16xf32>
  %b1 = commir.shard %b to [{node, gpu}, {}] : tensor<16x8xf32>
  %e = tensor.empty() : tensor<2x16x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %p = commir.shard %z to [{node}, {gpu}, {}] : tensor<2x16x8xf32>
  %y = scf.for %t = %c0 to %c2 step %c1 iter_args(%x = %p) -> (tensor<2x16x8xf32>) {
    %w = scf.forall (%n, %g) in (2, 2) shared_outs(%o = %x) -> (tensor<2x16x8xf32>) {
      %s = commir.shift %t by %g mod 2
      %row = affine.apply #by8(%g)
      %k = affine.apply #pair4(%n, %s)
      %at = tensor.extract_slice %a1[%row, %k] [8, 4] [1, 1] : tensor<16x16xf32> to tensor<8x4xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %ot = tensor.extract_slice %o[%n, %row, 0] [1, 8, 8] [1, 1, 1] : tensor<2x16x8xf32> to tensor<8x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<8x4xf32>, tensor<4x8xf32>) outs(%ot : tensor<8x8xf32>) -> tensor<8x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%n, %row, 0] [1, 8, 8] [1, 1, 1] : tensor<8x8xf32> into tensor<2x16x8xf32>
      }
    } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
    scf.yield %w : tensor<2x16x8xf32>
  }
  %ey = tensor.empty() : tensor<16x8xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<16x8xf32>) -> tensor<16x8xf32>
  %py = commir.shard %zy to [{gpu}, {}] : tensor<16x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%y : tensor<2x16x8xf32>) outs(%py : tensor<16x8xf32>) dimensions = [0]
  %placed = commir.shard %sum to [{gpu}, {}] : tensor<16x8xf32>
  return %placed : tensor<16x8xf32>
}

// Ranks of an axis share a reduction factor: partial sums move along it, while
// that factor's tiles of A and B rotate along the other axis.
//
// CHECK-LABEL: func.func @sums_move_while_tiles_rotate(
// CHECK: commir.rotate steps 2 carry(%{{.+}} : tensor<8x4xf32>) by [#commir.hop<{node} by 1>]
// CHECK: commir.rotate steps 2 travel(%{{.+}}, %{{.+}} : tensor<16x4xf32>, tensor<4x8xf32>) state(%{{.+}} : tensor<8x4xf32>) by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by 1>]
// CHECK: combine
// CHECK: return %{{.+}} : tensor<8x4xf32>
func.func @sums_move_while_tiles_rotate(%a: tensor<16x16xf32>, %b: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @grid} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %a1 = commir.shard %a to [{}, {node, gpu}] : tensor<16x16xf32>
  %b1 = commir.shard %b to [{node, gpu}, {}] : tensor<16x8xf32>
  %e = tensor.empty() : tensor<16x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %p = commir.shard %z to [{node}, {gpu}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c2 step %c1 iter_args(%x = %p) -> (tensor<16x8xf32>) {
    %q = scf.for %u = %c0 to %c2 step %c1 iter_args(%v = %x) -> (tensor<16x8xf32>) {
      %w = scf.forall (%n, %g) in (2, 2) shared_outs(%o = %v) -> (tensor<16x8xf32>) {
        %row = affine.apply affine_map<(d0, d1) -> (((d0 + d1 + 1) mod 2) * 8)>(%t, %n)
        %s = commir.shift %u by %g mod 2
        %k = affine.apply #pair4(%n, %s)
        %col = affine.apply #by4(%g)
        %at = tensor.extract_slice %a1[%row, %k] [8, 4] [1, 1] : tensor<16x16xf32> to tensor<8x4xf32>
        %bt = tensor.extract_slice %b1[%k, %col] [4, 4] [1, 1] : tensor<16x8xf32> to tensor<4x4xf32>
        %ot = tensor.extract_slice %o[%row, %col] [8, 4] [1, 1] : tensor<16x8xf32> to tensor<8x4xf32>
        %d = linalg.matmul ins(%at, %bt : tensor<8x4xf32>, tensor<4x4xf32>) outs(%ot : tensor<8x4xf32>) -> tensor<8x4xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %d into %o[%row, %col] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<16x8xf32>
        }
      } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
      scf.yield %w : tensor<16x8xf32>
    }
    scf.yield %q : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// Rank 0 and 1 read tile 0, rank 2 tile 3, rank 3 tile 1; then all of them other
// ones. No rule fits: each owner serves its readers, one after the other.
//
// CHECK-LABEL: func.func @explicit_lists(
// CHECK-SAME: %{{.+}}: tensor<4x8xf32> {{.*}}, %[[B:.+]]: tensor<2x8xf32>
// CHECK: scf.for
// CHECK: %[[FIRST:.+]] = commir.permute %[[B]] into %{{.+}} to %{{.+}} from %{{.+}} over {gpu} : tensor<2x8xf32>
// CHECK: commir.permute %[[B]] into %[[FIRST]] to %{{.+}} from %{{.+}} over {gpu} : tensor<2x8xf32>
// CHECK-NOT: commir.{{broadcast|rotate|all_gather}}
// CHECK: return
func.func @explicit_lists(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c3 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %is2 = arith.cmpi eq, %r, %c2 : index
      %is3 = arith.cmpi eq, %r, %c3 : index
      %e3 = arith.select %is3, %c1, %c0 : index
      %e2 = arith.select %is2, %c3, %e3 : index
      %tt = arith.muli %t, %c3 : index
      %sum = arith.addi %e2, %tt : index
      %s = arith.remui %sum, %c4 : index
      %row = affine.apply #by4(%r)
      %k = affine.apply #by2(%s)
      %at = tensor.extract_slice %a1[%row, %k] [4, 2] [1, 1] : tensor<16x8xf32> to tensor<4x2xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x2xf32>, tensor<2x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// Tiles span blocks of the inner axis: gathered over it before the loops, and what
// was gathered rotates over the outer one.
//
// CHECK-LABEL: func.func @gathered_then_rotated(
// CHECK: %[[G:.+]] = commir.all_gather %{{.+}} into %{{.+}} over {gpu} : tensor<2x8xf32> into tensor<2x2x8xf32>
// CHECK: %[[W:.+]] = tensor.collapse_shape %[[G]]
// CHECK: commir.rotate steps 2 travel(%[[W]] : tensor<4x8xf32>) state({{.*}}) by [#commir.hop<{node} by 1>]
// CHECK: return
func.func @gathered_then_rotated(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @grid} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a1 = commir.shard %a to [{node, gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{node, gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{node, gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c2 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %w = scf.forall (%n, %g) in (2, 2) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %n mod 2
      %row = affine.apply #pair4(%n, %g)
      %k = affine.apply #by4(%s)
      %at = tensor.extract_slice %a1[%row, %k] [4, 4] [1, 1] : tensor<16x8xf32> to tensor<4x4xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<4x4xf32>, tensor<4x8xf32>) outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
    scf.yield %w : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}
