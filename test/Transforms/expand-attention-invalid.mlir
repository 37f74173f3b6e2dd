// Masks and documents that can only be mistakes.
// RUN: mercury-opt %s -split-input-file -verify-diagnostics --mercury-expand-attention

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @offset_beyond_keys(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %o: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{mask #commir.mask<right 32> of 8 queries from position 0 on and 32 keys from 0 on limits nothing: offset 32 lies beyond the keys}}
  %r = commir.attention maps #maps ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) visible <right 32>
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @queries_begin_beyond_keys(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %o: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %c40 = arith.constant 40 : index
  // expected-error @below {{mask #commir.mask<right 0> of 8 queries from position 40 on and 32 keys from 0 on limits nothing: offset 40 lies beyond the keys}}
  %r = commir.attention maps #maps ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) visible <right 0> query_start(%c40)
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @no_key_for_any_query(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %o: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{mask #commir.mask<right -8> of 8 queries from position 0 on and 32 keys from 0 on leaves no key to any query}}
  %r = commir.attention maps #maps ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) visible <right -8>
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @window_behind_the_keys(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %o: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %c40 = arith.constant 40 : index
  // expected-error @below {{mask #commir.mask<left 4 right 0> of 8 queries from position 40 on and 32 keys from 0 on leaves no key to any query}}
  %r = commir.attention maps #maps ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) visible <left 4 right 0> query_start(%c40)
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

// A window that is wider than there are keys, one row that sees a key, and
// what is known at run time only, are no mistakes.
#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @no_mistakes(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %o: tensor<8x16xf32>, %any: index) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %a = commir.attention maps #maps ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) visible <left 64 right 64>
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  %b = commir.attention maps #maps ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) visible <right -7>
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = commir.attention maps #maps ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) visible <right 64> query_start(%any)
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %a, %b, %c : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

func.func @segments_decrease() -> (tensor<2x4xi32>, tensor<2x4xi32>) {
  %ids = arith.constant dense<[[0, 0, 1, 1], [3, 4, 4, 2]]> : tensor<2x4xi32>
  // expected-error @below {{sequence 1: segments decrease: that of key 3 is 2 after 4}}
  %b, %e = commir.document_ranges segments(%ids : tensor<2x4xi32>) -> tensor<2x4xi32>, tensor<2x4xi32>
  return %b, %e : tensor<2x4xi32>, tensor<2x4xi32>
}

// -----

#maps = [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>, affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
func.func @lengths_do_not_sum(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xf32>, %o: tensor<2x4x16xf32>, %at: index) -> tensor<2x4x16xf32> {
  %n = arith.constant dense<[[4, 4], [5, 2]]> : tensor<2x2xi32>
  // expected-error @below {{sequence 1: lengths of documents sum to 7 keys, but attention has 8}}
  %b, %e = commir.document_ranges lengths(%n : tensor<2x2xi32>) query_start(%at) -> tensor<2x4xi32>, tensor<2x4xi32>
  // expected-note @below {{reads the ranges here}}
  %r = commir.attention maps #maps ins(%q, %k, %k : tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>)
      key_range(%b, %e : tensor<2x4xi32>, tensor<2x4xi32>)
      outs(%o : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %r : tensor<2x4x16xf32>
}

// -----

#maps = [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>, affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
func.func @segments_of_fewer_keys(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xf32>, %o: tensor<2x4x16xf32>, %ids: tensor<2x4xi32>) -> tensor<2x4x16xf32> {
  // expected-error @below {{there are segments of 4 keys, but attention has 8}}
  %b, %e = commir.document_ranges segments(%ids : tensor<2x4xi32>) -> tensor<2x4xi32>, tensor<2x4xi32>
  // expected-note @below {{reads the ranges here}}
  %r = commir.attention maps #maps ins(%q, %k, %k : tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>)
      key_range(%b, %e : tensor<2x4xi32>, tensor<2x4xi32>)
      outs(%o : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %r : tensor<2x4x16xf32>
}

// -----

#maps = [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>, affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (m)>, affine_map<(h, m, n, d, e) -> (m)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
func.func @static_lengths_do_not_sum(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xf32>, %o: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
  // expected-error @below {{lengths of documents sum to 9 keys, but attention has 8}}
  %b, %e = commir.document_ranges static [5, 4] -> tensor<4xi32>, tensor<4xi32>
  // expected-note @below {{reads the ranges here}}
  %r = commir.attention maps #maps ins(%q, %k, %k : tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>)
      key_range(%b, %e : tensor<4xi32>, tensor<4xi32>)
      outs(%o : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %r : tensor<2x4x16xf32>
}

// -----

func.func @negative_length() -> (tensor<8xi32>, tensor<8xi32>) {
  %n = arith.constant dense<[10, -2]> : tensor<2xi32>
  // expected-error @below {{length of document 1 is -2}}
  %b, %e = commir.document_ranges lengths(%n : tensor<2xi32>) -> tensor<8xi32>, tensor<8xi32>
  return %b, %e : tensor<8xi32>, tensor<8xi32>
}
