// RUN: mercury-opt %s --verify-diagnostics --mercury-lower-rotation

commir.topology @t levels [#commir.level<gpu, 4>]

func.func @on_tensors(%k: tensor<8xf32>, %a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{is on tensors; only rotations on buffers become loops}}
  %0 = commir.rotate steps 4 travel(%k : tensor<8xf32>) state(%a : tensor<8xf32>)
      by [#commir.hop<{gpu} by 1>] -> (tensor<8xf32>) {
  ^bb0(%t: index, %kt: tensor<8xf32>, %at: tensor<8xf32>):
    commir.rotate_yield %at : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
