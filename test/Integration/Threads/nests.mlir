// Loop nests written by hand whose outputs are easy to get wrong, run on ranks.
// RUN: mercury-run %s --entry=init_read_across_blocks --verify --strict --local=loops | FileCheck %s
// RUN: mercury-run %s --entry=output_never_read --verify --strict --local=loops | FileCheck %s
// RUN: mercury-run %s --entry=output_never_read --verify --strict | FileCheck %s
// CHECK: of the input {{.*}} verified

commir.topology @ring levels [#commir.level<gpu, 4>]

// The tensor that an output starts from is read by other tiles than its own: what
// is read is gathered, what is written stays.
func.func @init_read_across_blocks(%c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
      %ot = tensor.extract_slice %o[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %ct = tensor.extract_slice %cp[2, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.add ins(%ot, %ct : tensor<4x8xf32>, tensor<4x8xf32>)
                      outs(%ot : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}

// An output that is only written: the last step wins.
func.func @output_never_read(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a1 = commir.shard %a to [{gpu}, {}] : tensor<16x8xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<16x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<16x8xf32>) {
      %s = commir.shift %t by %r mod 4
      %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
      %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%s)
      %at = tensor.extract_slice %a1[%row, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
      %e = tensor.empty() : tensor<4x8xf32>
      %bb = linalg.broadcast ins(%bt : tensor<8xf32>) outs(%e : tensor<4x8xf32>) dimensions = [0]
      %d = linalg.mul ins(%at, %bb : tensor<4x8xf32>, tensor<4x8xf32>)
                      outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<16x8xf32>
  }
  return %y : tensor<16x8xf32>
}
