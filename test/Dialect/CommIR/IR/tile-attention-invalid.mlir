// What cannot be tiled is refused, and changes nothing.
// RUN: mercury-opt %s -split-input-file -verify-diagnostics -transform-interpreter

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

// Softmax tiled along its own dimension would normalise each tile by itself: the
// keys are no loop of commir.attention.
func.func @attention_has_no_key_loop(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o: tensor<8x12xf32>) -> tensor<8x12xf32> {
  // expected-note @below {{target op}}
  %r = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o : tensor<8x12xf32>) -> tensor<8x12xf32>
  return %r : tensor<8x12xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["commir.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{too many tiles provided, expected at most 1 found 2}}
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [4, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// A tile of features would continue the state once per tile: a wrong result.
func.func @features_are_no_loops(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>,
                                 %a: tensor<8x12xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>) -> tensor<8x12xf32> {
  // expected-note @below {{target op}}
  %r:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%a, %m, %l : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0 : tensor<8x12xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["commir.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{too many tiles provided, expected at most 2 found 3}}
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [0, 0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// One partial state per key of a tile makes no sense.
func.func @partial_states_per_key(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>,
                                  %a: tensor<8x12xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>) -> tensor<8x12xf32> {
  // expected-error @below {{has partial results in parallel tiles only}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  %r:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%a, %m, %l : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0 : tensor<8x12xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["commir.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{failed to tile}}
    %fill, %tiled, %merge, %loop = transform.structured.tile_reduction_using_for %0 by tile_sizes = [0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @on_buffers(%q: memref<8x16xf32>, %k: memref<32x16xf32>, %v: memref<32x12xf32>, %o: memref<8x12xf32>) {
  // expected-error @below {{is tiled on tensors only, got operand 0 of type 'memref<8x16xf32>'}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : memref<8x16xf32>, memref<32x16xf32>, memref<32x12xf32>)
      outs(%o : memref<8x12xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["commir.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
