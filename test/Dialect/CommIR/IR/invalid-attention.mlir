// Attention that breaks a constraint of its description, by its label.
// RUN: mercury-opt %s -split-input-file -verify-diagnostics

func.func @attention_c1_too_few_maps(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{expects one map per tensor or buffer operand, got 3 for 4}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c1_no_map_for_the_mask(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %b: tensor<8x32xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{expects one map per tensor or buffer operand, got 4 for 5}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>) mask(%b : tensor<8x32xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c1_three_dimensions(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{expects maps over one domain of at least four dimensions, without symbols, got affine_map<(d0, d1, d2) -> (d0, d2)>}}
  %r = commir.attention maps [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (m, d)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c1_another_domain(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{expects maps over one domain of at least four dimensions, without symbols, got affine_map<(d0, d1, d2, d3, d4) -> (d1, d3)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(h, n, m, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c1_symbol(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{expects maps over one domain of at least four dimensions, without symbols, got affine_map<(d0, d1, d2, d3)[s0] -> (d1, d2)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e)[s] -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c2_no_permutation(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{operand 1 of type 'tensor<32x16xf32>' expects a projected permutation with 2 results, got affine_map<(d0, d1, d2, d3) -> (d1 * 2, d2)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n * 2, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c2_constant(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{operand 1 of type 'tensor<32x16xf32>' expects a projected permutation with 2 results, got affine_map<(d0, d1, d2, d3) -> (d1, 0)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, 0)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c2_rank(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{operand 2 of type 'tensor<32x12xf32>' expects a projected permutation with 2 results, got affine_map<(d0, d1, d2, d3) -> (d1)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c3_query_without_its_feature(%q: tensor<8xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{query has to be indexed by d2, got affine_map<(d0, d1, d2, d3) -> (d0)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c3_query_with_key(%q: tensor<8x32x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{query cannot be indexed by d1, got affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, n, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x32x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c3_query_without_a_parallel_loop(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<4x8x12xf32>) {
  // expected-error @below {{query has to be indexed by d0, got affine_map<(d0, d1, d2, d3, d4) -> (d1, d3)>}}
  %r = commir.attention maps [affine_map<(h, m, n, d, e) -> (m, d)>, affine_map<(h, m, n, d, e) -> (n, d)>, affine_map<(h, m, n, d, e) -> (n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  return
}

// -----

func.func @attention_c3_key_with_query(%q: tensor<8x16xf32>, %k: tensor<8x32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{key cannot be indexed by d0, got affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (m, n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<8x32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c3_value_without_key(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{value has to be indexed by d1, got affine_map<(d0, d1, d2, d3) -> (d3)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c3_value_without_its_feature(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{value has to be indexed by d3, got affine_map<(d0, d1, d2, d3) -> (d1)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c3_mask_with_feature(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %b: tensor<8x16xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{mask cannot be indexed by d2, got affine_map<(d0, d1, d2, d3) -> (d0, d2)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>) mask(%b : tensor<8x16xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c4_no_output(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>) {
  // expected-error @below {{expects one or two outputs, got 0}}
  "commir.attention"(%q, %k, %v) <{indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0>}>
      : (tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>) -> ()
  return
}

// -----

func.func @attention_c4_three_outputs(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8xf32>, %o2: tensor<8xf32>) {
  // expected-error @below {{expects one or two outputs, got 3}}
  %r:3 = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1, %o2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @attention_c4_output_with_key(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x32x12xf32>) {
  // expected-error @below {{an output cannot be indexed by d1, got affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, n, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x32x12xf32>) -> tensor<8x32x12xf32>
  return
}

// -----

func.func @attention_c4_output_without_feature(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8xf32>) {
  // expected-error @below {{an output has to be indexed by d3, got affine_map<(d0, d1, d2, d3) -> (d0)>}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @attention_c4_log_sum_exp_with_feature(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8x12xf32>) {
  // expected-error @below {{an output cannot be indexed by d3, got affine_map<(d0, d1, d2, d3) -> (d0, d3)>}}
  %r:2 = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1 : tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>, tensor<8x12xf32>
  return
}

// -----

func.func @attention_c5_features_of_query_and_key(%q: tensor<8x16xf32>, %k: tensor<32x20xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{operand 0 of type 'tensor<8x16xf32>' has extent 16 along d2, another operand has 20}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x20xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c5_keys_of_key_and_value(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<30x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{operand 1 of type 'tensor<32x16xf32>' has extent 32 along d1, another operand has 30}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<30x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c5_extent_beside_a_dynamic_one(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<?x13xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{operand 2 of type 'tensor<?x13xf32>' has extent 13 along d3, another operand has 12}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<?x13xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c6_log_sum_exp_in_bf16(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8xbf16>) {
  // expected-error @below {{keeps its state in 'f32', got an output of type 'tensor<8xbf16>'}}
  %r:2 = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1 : tensor<8x12xf32>, tensor<8xbf16>) -> tensor<8x12xf32>, tensor<8xbf16>
  return
}

// -----

func.func @attention_c6_log_sum_exp_of_f64(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf64>, %o0: tensor<8x12xf64>, %o1: tensor<8xf32>) {
  // expected-error @below {{keeps its state in 'f64', got an output of type 'tensor<8xf32>'}}
  %r:2 = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf64>)
      outs(%o0, %o1 : tensor<8x12xf64>, tensor<8xf32>) -> tensor<8x12xf64>, tensor<8xf32>
  return
}

// -----

func.func @attention_c7_tensors_and_buffers(%q: tensor<8x16xf32>, %k: memref<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{mixes tensors and buffers: operand 0 is of type 'tensor<8x16xf32>', operand 1 of type 'memref<32x16xf32>'}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, memref<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @attention_c7_no_result(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{expects 1 results of the outputs' types, got 0}}
  commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>)
  return
}

// -----

func.func @attention_c7_result_of_another_type(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>) {
  // expected-error @below {{expects 1 results of the outputs' types, got 1}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0 : tensor<8x12xf32>) -> tensor<8x12xf64>
  return
}

// -----

func.func @attention_c7_result_on_buffers(%q: memref<8x16xf32>, %k: memref<32x16xf32>, %v: memref<32x12xf32>, %o0: memref<8x12xf32>) {
  // expected-error @below {{expects 0 results of the outputs' types, got 1}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : memref<8x16xf32>, memref<32x16xf32>, memref<32x12xf32>)
      outs(%o0 : memref<8x12xf32>) -> tensor<8x12xf32>
  return
}

// -----

func.func @online_attention_c1_too_few_maps(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8xf32>, %o2: tensor<8xf32>) {
  // expected-error @below {{expects one map per tensor or buffer operand, got 4 for 6}}
  %r:3 = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1, %o2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @online_attention_c2_no_permutation(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8xf32>, %o2: tensor<8xf32>) {
  // expected-error @below {{operand 4 of type 'tensor<8xf32>' expects a projected permutation with 1 results, got affine_map<(d0, d1, d2, d3) -> (d0 + 1)>}}
  %r:3 = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m + 1)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1, %o2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @online_attention_c3_value_with_the_key_feature(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x16x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8xf32>, %o2: tensor<8xf32>) {
  // expected-error @below {{value cannot be indexed by d2, got affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>}}
  %r:3 = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, d, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16x12xf32>)
      outs(%o0, %o1, %o2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @online_attention_c4_no_sum(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8xf32>) {
  // expected-error @below {{expects three outputs, got 2}}
  %r:2 = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1 : tensor<8x12xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>
  return
}

// -----

func.func @online_attention_c4_sum_with_feature(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8xf32>, %o2: tensor<8x12xf32>) {
  // expected-error @below {{an output cannot be indexed by d3, got affine_map<(d0, d1, d2, d3) -> (d0, d3)>}}
  %r:3 = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1, %o2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8x12xf32>
  return
}

// -----

func.func @online_attention_c5_rows(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8xf32>, %o2: tensor<9xf32>) {
  // expected-error @below {{operand 0 of type 'tensor<8x16xf32>' has extent 8 along d0, another operand has 9}}
  %r:3 = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1, %o2 : tensor<8x12xf32>, tensor<8xf32>, tensor<9xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<9xf32>
  return
}

// -----

// Outputs of blocks rounded to the inputs' type before they are merged: an
// error that grows with the number of ranks.
func.func @online_attention_c6_accumulator_in_bf16(%q: tensor<8x16xbf16>, %k: tensor<32x16xbf16>, %v: tensor<32x12xbf16>, %o0: tensor<8x12xbf16>, %o1: tensor<8xf32>, %o2: tensor<8xf32>) {
  // expected-error @below {{keeps its state in 'f32', got an output of type 'tensor<8x12xbf16>'}}
  %r:3 = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xbf16>, tensor<32x16xbf16>, tensor<32x12xbf16>)
      outs(%o0, %o1, %o2 : tensor<8x12xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xbf16>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @online_attention_c6_maximum_of_f64_inputs(%q: tensor<8x16xf64>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf64>, %o1: tensor<8xf32>, %o2: tensor<8xf32>) {
  // expected-error @below {{keeps its state in 'f64', got an output of type 'tensor<8xf32>'}}
  %r:3 = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf64>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1, %o2 : tensor<8x12xf64>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf64>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @online_attention_c7_state_in_buffers(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: memref<8x12xf32>, %o1: memref<8xf32>, %o2: memref<8xf32>) {
  // expected-error @below {{mixes tensors and buffers: operand 0 is of type 'tensor<8x16xf32>', operand 3 of type 'memref<8x12xf32>'}}
  commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1, %o2 : memref<8x12xf32>, memref<8xf32>, memref<8xf32>)
  return
}

// -----

func.func @online_attention_c7_one_result(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %o0: tensor<8x12xf32>, %o1: tensor<8xf32>, %o2: tensor<8xf32>) {
  // expected-error @below {{expects 3 results of the outputs' types, got 1}}
  %r = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%o0, %o1, %o2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>
  return
}
