// A result that is saved can be the argument of the next run: with I for one
// operand nothing changes, so that both files are the same.
// RUN: mercury-run --topology=gpu=2 --schedule=data_parallel --save 0=%t.1.npy --save 1=%t.eye.npy %s > %t.log
// RUN: FileCheck %s --input-file=%t.log --check-prefix=RAN
// RUN: mercury-run --topology=gpu=2 --schedule=data_parallel --arg 0=%t.1.npy --arg 1=%t.eye.npy --save 0=%t.2.npy --seed=9 %s | FileCheck %s --check-prefix=RAN
// RUN: cmp %t.1.npy %t.2.npy && echo same | FileCheck %s --check-prefix=SAME
// RAN: rank
// SAME: same

// RUN: sh -c 'mercury-run --topology=gpu=2 --arg 1=%t.eye.npy --arg 0=%s %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=BROKEN
// BROKEN: mercury-run: error: '{{.*}}npy.mlir' is not a .npy file
// BROKEN: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --save 0=%t.absent/x.npy %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=WRITE
// WRITE: mercury-run: error: cannot write '{{.*}}.absent/x.npy': No such file or directory
// WRITE: exit 2

#row = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<4x4xf32>, %unused: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>)
    -> tensor<4x4xf32>
  %eye = linalg.generic {indexing_maps = [#row],
                         iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %same = arith.cmpi eq, %i, %j : index
    %v = arith.select %same, %one, %zero : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %r = linalg.matmul ins(%a, %eye : tensor<4x4xf32>, tensor<4x4xf32>)
                     outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %eye : tensor<4x4xf32>, tensor<4x4xf32>
}
