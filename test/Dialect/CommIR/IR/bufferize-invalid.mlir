// Rotations that could not keep one buffer a value are refused: each step would
// copy.
// RUN: mercury-opt %s --split-input-file --verify-diagnostics --one-shot-bufferize

commir.topology @t levels [#commir.level<gpu, 4>]

func.func @body_swaps_its_states(%k: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @+1 {{body value 0 is not updated in place; each step would copy}}
  %0:2 = commir.rotate steps 4 travel(%k : tensor<8xf32>)
      state(%a, %b : tensor<8xf32>, tensor<8xf32>) by [#commir.hop<{gpu} by 1>]
      -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%t: index, %kt: tensor<8xf32>, %at: tensor<8xf32>, %bt: tensor<8xf32>):
    commir.rotate_yield %bt, %at : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]

func.func @combine_yields_the_contribution(%k: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{combine value 0 is not updated in place; each step would copy}}
  %0 = commir.rotate steps 4 carry(%k : tensor<8xf32>) by [#commir.hop<{gpu} by 1>]
      -> (tensor<8xf32>) {
  ^bb0(%t: index, %c: tensor<8xf32>):
    commir.rotate_yield %c : tensor<8xf32>
  } combine {
  ^bb0(%arrived: tensor<8xf32>, %own: tensor<8xf32>):
    commir.rotate_yield %own : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]

// On buffers already: nothing to refuse.
func.func @on_buffers(%k: memref<8xf32>, %c: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>) {
  commir.rotate steps 4 travel(%k : memref<8xf32>) state(%c : memref<8xf32>)
      scratch(%x, %y : memref<8xf32>, memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%t: index):
    commir.rotate_yield
  }
  return
}
