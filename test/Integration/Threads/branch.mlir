// Ranks that compute different things: whether the buffer of a branch is freed
// depends on the rank. On CPUs and on emulated GPUs the results are the same.
// RUN: mercury-run %s --seed=3 --local=loops --save 0=%t.cpu.npy && mercury-run %s --seed=3 --target=emulated --local=loops --save 0=%t.npy && cmp %t.cpu.npy %t.npy
// RUN: mercury-opt %s --mercury-emulated-pipeline | FileCheck %s
// CHECK: llvm.func @branch(
// CHECK: llvm.cond_br
// CHECK: llvm.call @mercury_free(
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @branch(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  %0 = scf.if %first -> (tensor<8xf32>) {
    %1 = linalg.exp ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  %2 = commir.all_reduce sum %0 over {gpu} : tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
