// RUN: mercury-opt %s -o /dev/null --mercury-print-communication | FileCheck %s

#half = affine_map<(d0) -> (d0 * 8)>
#quarter = affine_map<(d0) -> (d0 * 4)>
#third = affine_map<(d0) -> (d0 * 12)>
commir.topology @mesh levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// Summa: each step a column of tiles of A is broadcast along rows of ranks, a row
// of tiles of B along columns.
//
// CHECK-LABEL: nest in @summa: ranks {node, gpu}, 2 steps
// CHECK-NEXT: reads argument 0, tensor<16x24xf32> placed [{node}, {gpu}]: broadcast over {gpu}
// CHECK-NEXT: step  rank 0           rank 1           rank 2           rank 3
// CHECK-NEXT: 0  [0:8, 0:12]      [0:8, 0:12]<0    [8:16, 0:12]     [8:16, 0:12]<2
// CHECK-NEXT: 1  [0:8, 12:24]<1   [0:8, 12:24]     [8:16, 12:24]<3  [8:16, 12:24]
// CHECK-NEXT: reads argument 1, tensor<24x8xf32> placed [{node}, {gpu}]: broadcast over {node}
// CHECK-NEXT: step  rank 0          rank 1          rank 2          rank 3
// CHECK-NEXT: 0  [0:12, 0:4]     [0:12, 4:8]     [0:12, 0:4]<0   [0:12, 4:8]<1
// CHECK-NEXT: 1  [12:24, 0:4]<2  [12:24, 4:8]<3  [12:24, 0:4]    [12:24, 4:8]
// CHECK-NEXT: writes output 0, tensor<16x8xf32> placed [{node}, {gpu}]: local
// CHECK-NEXT: step  rank 0       rank 1       rank 2       rank 3
// CHECK-NEXT: all  [0:8, 0:4]   [0:8, 4:8]   [8:16, 0:4]  [8:16, 4:8]
func.func @summa(%a: tensor<16x24xf32>, %b: tensor<24x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a1 = commir.shard %a to [{node}, {gpu}] : tensor<16x24xf32>
  %b1 = commir.shard %b to [{node}, {gpu}] : tensor<24x8xf32>
  %c3 = commir.shard %c to [{node}, {gpu}] : tensor<16x8xf32>
  %0 = scf.for %t = %c0 to %c2 step %c1 iter_args(%x = %c3) -> (tensor<16x8xf32>) {
    %1 = scf.forall (%i, %j) in (2, 2) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %row = affine.apply #half(%i)
      %column = affine.apply #quarter(%j)
      %k = affine.apply #third(%t)
      %at = tensor.extract_slice %a1[%row, %k] [8, 12] [1, 1] : tensor<16x24xf32> to tensor<8x12xf32>
      %bt = tensor.extract_slice %b1[%k, %column] [12, 4] [1, 1] : tensor<24x8xf32> to tensor<12x4xf32>
      %ct = tensor.extract_slice %o[%row, %column] [8, 4] [1, 1] : tensor<16x8xf32> to tensor<8x4xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<8x12xf32>, tensor<12x4xf32>) outs(%ct : tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, %column] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
    scf.yield %1 : tensor<16x8xf32>
  }
  return %0 : tensor<16x8xf32>
}

// Fetched from the owner, once.
//
// CHECK-LABEL: nest in @fetch: ranks {node, gpu}, 1 step
// CHECK-NEXT: reads argument 0, tensor<16x8xf32> placed [{node, gpu}, {}]: fetched from its owner over {node, gpu}
// CHECK-NEXT: step  rank 0       rank 1       rank 2       rank 3
// CHECK-NEXT: all  [0:4, :]     [8:12, :]<2  [4:8, :]<1   [12:16, :]
// CHECK-NEXT: writes output 0, tensor<16x8xf32> placed [{node, gpu}, {}]: local
// CHECK-NEXT: step  rank 0      rank 1      rank 2      rank 3
// CHECK-NEXT: all  [0:4, :]    [4:8, :]    [8:12, :]   [12:16, :]
func.func @fetch(%a: tensor<16x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %a1 = commir.shard %a to [{node, gpu}, {}] fetch {node, gpu} : tensor<16x8xf32>
  %c3 = commir.shard %c to [{node, gpu}, {}] : tensor<16x8xf32>
  %1 = scf.forall (%i, %j) in (2, 2) shared_outs(%o = %c3) -> (tensor<16x8xf32>) {
    %from = affine.apply affine_map<(d0, d1) -> (d1 * 8 + d0 * 4)>(%i, %j)
    %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1 * 4)>(%i, %j)
    %at = tensor.extract_slice %a1[%from, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %at into %o[%to, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
    }
  } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
  return %1 : tensor<16x8xf32>
}

// Touched across blocks: gathered before.
//
// CHECK-LABEL: nest in @gathered: ranks {node, gpu}, 1 step
// CHECK-NEXT: reads argument 0, tensor<16x8xf32> placed [{node, gpu}, {}]: gathered over {gpu} before the loops, then local
// CHECK-NEXT: step  rank 0      rank 1      rank 2      rank 3
// CHECK-NEXT: all  [0:4, :]    [2:6, :]    [8:12, :]   [10:14, :]
// CHECK-NEXT: writes output 0, tensor<16x8xf32> placed [{node, gpu}, {}]: local
// CHECK-NEXT: step  rank 0      rank 1      rank 2      rank 3
// CHECK-NEXT: all  [0:4, :]    [4:8, :]    [8:12, :]   [12:16, :]
func.func @gathered(%a: tensor<16x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %a1 = commir.shard %a to [{node, gpu}, {}] : tensor<16x8xf32>
  %c3 = commir.shard %c to [{node, gpu}, {}] : tensor<16x8xf32>
  %1 = scf.forall (%i, %j) in (2, 2) shared_outs(%o = %c3) -> (tensor<16x8xf32>) {
    %from = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1 * 2)>(%i, %j)
    %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1 * 4)>(%i, %j)
    %at = tensor.extract_slice %a1[%from, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %at into %o[%to, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
    }
  } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
  return %1 : tensor<16x8xf32>
}

// Read by two ranks, by no rule: explicit lists.
//
// CHECK-LABEL: nest in @lists: ranks {node, gpu}, 1 step
// CHECK-NEXT: reads argument 0, tensor<16x8xf32> placed [{node, gpu}, {}]: sent by explicit lists over {node, gpu}
// CHECK-NEXT: step  rank 0      rank 1      rank 2      rank 3
// CHECK-NEXT: all  [0:4, :]    [4:8, :]    [4:8, :]<1  [0:4, :]<0
// CHECK-NEXT: writes output 0, tensor<16x8xf32> placed [{node, gpu}, {}]: local
// CHECK-NEXT: step  rank 0      rank 1      rank 2      rank 3
// CHECK-NEXT: all  [0:4, :]    [4:8, :]    [8:12, :]   [12:16, :]
func.func @lists(%a: tensor<16x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %a1 = commir.shard %a to [{node, gpu}, {}] : tensor<16x8xf32>
  %c3 = commir.shard %c to [{node, gpu}, {}] : tensor<16x8xf32>
  %1 = scf.forall (%i, %j) in (2, 2) shared_outs(%o = %c3) -> (tensor<16x8xf32>) {
    %from = affine.apply affine_map<(d0, d1) -> (((d0 + d1) mod 2) * 4)>(%i, %j)
    %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1 * 4)>(%i, %j)
    %at = tensor.extract_slice %a1[%from, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %at into %o[%to, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
    }
  } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
  return %1 : tensor<16x8xf32>
}
