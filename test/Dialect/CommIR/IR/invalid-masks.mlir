// Masks, token orders and documents that break a constraint, by its label.
// RUN: mercury-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'prefix 4' limits nothing: a prefix stands beside 'right'}}
func.func private @mask_c1_prefix_alone() attributes {mask = #commir.mask<prefix 4>}

// -----

// expected-error @below {{prefix of 'right 0 prefix -4' must be positive and stand beside 'right'}}
func.func private @mask_c1_prefix_is_negative() attributes {mask = #commir.mask<right 0 prefix -4>}

// -----

// expected-error @below {{expected 'left', 'right' or 'prefix'}}
func.func private @mask_c1_no_term() attributes {mask = #commir.mask<>}

// -----

// expected-error @below {{window 'left 3 right -4' has extent 0; no query sees a key}}
func.func private @mask_c2_window_of_zero_extent() attributes {mask = #commir.mask<right 0 and left 3 right -4>}

// -----

// expected-error @below {{parts and block of 'zigzag 0' must be positive and at most 1048576}}
func.func private @token_order_c1_no_parts() attributes {order = #commir.token_order<zigzag 0 of 8>}

// -----

// expected-error @below {{'table [0, 2, 2]' is no permutation: chunk 2 stands there twice}}
func.func private @token_order_c1_chunk_twice() attributes {order = #commir.token_order<table [0, 2, 2] of 6>}

// -----

// expected-error @below {{'table [0, 3]' is no permutation: chunk 3 is not one of 0 to 1}}
func.func private @token_order_c1_chunk_too_large() attributes {order = #commir.token_order<table [0, 3] of 6>}

// -----

// expected-error @below {{'table []' is no permutation: it is empty}}
func.func private @token_order_c1_empty() attributes {order = #commir.token_order<table [] of 6>}

// -----

// expected-error @below {{'zigzag 4' expects an extent that is a positive multiple of 8, got 12}}
func.func private @token_order_c2_not_a_multiple() attributes {order = #commir.token_order<zigzag 4 of 12>}

// -----

// expected-error @below {{'striped 2 by 3' expects an extent that is a positive multiple of 6, got 0}}
func.func private @token_order_c2_no_extent() attributes {order = #commir.token_order<striped 2 by 3 of 0>}

// -----

// expected-error @below {{'table [1, 1]' is no permutation: chunk 1 stands there twice}}
func.func private @placement_c3_chunk_twice() attributes {placement = #commir.placement<[{gpu} table [1, 1], {}]>}

// -----

func.func @arrange_c1_no_such_dimension(%x: tensor<8x8xf32>) {
  // expected-error @below {{dimension 2 does not exist in 'tensor<8x8xf32>'}}
  %0 = commir.arrange %x dim 2 as <zigzag 4 of 8> : tensor<8x8xf32>
  return
}

// -----

func.func @arrange_c1_another_extent(%x: tensor<8x8xf32>) {
  // expected-error @below {{dimension 1 of 'tensor<8x8xf32>' has another extent than the order's 16}}
  %0 = commir.arrange %x dim 1 as <zigzag 4 of 16> : tensor<8x8xf32>
  return
}

// -----

func.func @arrange_c1_dynamic_extent(%x: tensor<?x8xf32>) {
  // expected-error @below {{dimension 0 of 'tensor<?x8xf32>' has another extent than the order's 16}}
  %0 = commir.arrange %x dim 0 as <zigzag 4 of 16> : tensor<?x8xf32>
  return
}

// -----

func.func @document_ranges_c1_nothing() {
  // expected-error @below {{expects one of 'segments', 'lengths' and 'static', got 0}}
  %0:2 = commir.document_ranges -> tensor<8xi32>, tensor<8xi32>
  return
}

// -----

func.func @document_ranges_c1_two(%x: tensor<8xi32>) {
  // expected-error @below {{expects one of 'segments', 'lengths' and 'static', got 2}}
  %0:2 = commir.document_ranges segments(%x : tensor<8xi32>) static [8] -> tensor<8xi32>, tensor<8xi32>
  return
}

// -----

func.func @document_ranges_c2_types(%x: tensor<8xi32>) {
  // expected-error @below {{results have different types 'tensor<8xi32>' and 'tensor<4xi32>'}}
  %0:2 = commir.document_ranges segments(%x : tensor<8xi32>) -> tensor<8xi32>, tensor<4xi32>
  return
}

// -----

func.func @document_ranges_c2_front(%x: tensor<2x8xi32>) {
  // expected-error @below {{dimensions in front of the result 'tensor<3x8xi32>' are not the operand's}}
  %0:2 = commir.document_ranges segments(%x : tensor<2x8xi32>) -> tensor<3x8xi32>, tensor<3x8xi32>
  return
}

// -----

func.func @document_ranges_c2_static_has_no_front() {
  // expected-error @below {{dimensions in front of the result 'tensor<3x8xi32>' are not the operand's}}
  %0:2 = commir.document_ranges static [8] -> tensor<3x8xi32>, tensor<3x8xi32>
  return
}

// -----

func.func @document_ranges_c2_no_dimension(%x: tensor<i32>) {
  // expected-error @below {{expects a static last dimension, got 'tensor<i32>'}}
  %0:2 = commir.document_ranges lengths(%x : tensor<i32>) -> tensor<i32>, tensor<i32>
  return
}

// -----

func.func @document_ranges_c2_dynamic_rows(%x: tensor<8xi32>) {
  // expected-error @below {{expects a static last dimension, got 'tensor<?xi32>'}}
  %0:2 = commir.document_ranges segments(%x : tensor<8xi32>) -> tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @document_ranges_c3_negative_length() {
  // expected-error @below {{length of document 1 is -4}}
  %0:2 = commir.document_ranges static [8, -4, 4] -> tensor<8xi32>, tensor<8xi32>
  return
}

// -----

func.func @document_ranges_c3_no_number_of_32_bits() {
  // expected-error @below {{length of document 0 is 2147483648}}
  %0:2 = commir.document_ranges static [2147483648] -> tensor<8xi32>, tensor<8xi32>
  return
}

// -----

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (n)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @attention_c3_range_of_keys(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %b: tensor<8xi32>, %e: tensor<32xi32>, %o: tensor<8x16xf32>) {
  // expected-error @below {{key_range cannot be indexed by d1, got affine_map<(d0, d1, d2, d3) -> (d1)>}}
  %r = commir.attention maps #maps
      ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>)
      key_range(%b, %e : tensor<8xi32>, tensor<32xi32>)
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (d)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @attention_c3_range_of_features(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %b: tensor<16xi32>, %e: tensor<8xi32>, %o: tensor<8x16xf32>) {
  // expected-error @below {{key_range cannot be indexed by d2, got affine_map<(d0, d1, d2, d3) -> (d2)>}}
  %r = commir.attention maps #maps
      ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>)
      key_range(%b, %e : tensor<16xi32>, tensor<8xi32>)
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @attention_c5_rows_of_the_range(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %b: tensor<4xi32>, %o: tensor<8x16xf32>) {
  // expected-error @below {{has extent 4 along d0, another operand has 8}}
  %r = commir.attention maps #maps
      ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>)
      key_range(%b, %b : tensor<4xi32>, tensor<4xi32>)
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @attention_c8_one_end(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %b: tensor<8xi32>, %o: tensor<8x16xf32>) {
  // expected-error @below {{expects both ends of 'key_range' or none}}
  %r = "commir.attention"(%q, %k, %k, %b, %o) <{indexing_maps = #maps, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 0, 1>}>
      : (tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<8xi32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @attention_c9_too_few_keys_in_order(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %s: index, %o: tensor<8x16xf32>) {
  // expected-error @below {{'key_order' has indices [0, 16), key takes [0, 32)}}
  %r = commir.attention maps #maps
      ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>)
      visible <right 0> key_start(%s) key_order <zigzag 4 of 16>
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
func.func @attention_c9_start_beyond_order(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %o: tensor<8x16xf32>) {
  %c12 = arith.constant 12 : index
  // expected-error @below {{'query_order' has indices [0, 16), query takes [12, 20)}}
  %r = commir.attention maps #maps
      ins(%q, %k, %k : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>)
      query_start(%c12) query_order <zigzag 4 of 16>
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @check_documents_c1_no_dimension(%x: tensor<i32>) {
  // expected-error @below {{expects a static last dimension, got 'tensor<i32>'}}
  commir.check_documents lengths(%x : tensor<i32>)
  return
}

// -----

func.func @check_documents_c1_dynamic_row(%x: tensor<2x?xi32>) {
  // expected-error @below {{expects a static last dimension, got 'tensor<2x?xi32>'}}
  commir.check_documents segments(%x : tensor<2x?xi32>)
  return
}

// -----

func.func @check_documents_c1_strided_buffer(%x: memref<2x8xi32, strided<[16, 1]>>) {
  // expected-error @below {{expects a contiguous buffer of static shape, got 'memref<2x8xi32, strided<[16, 1]>>'}}
  commir.check_documents segments(%x : memref<2x8xi32, strided<[16, 1]>>)
  return
}

// -----

func.func @check_documents_c1_dynamic_buffer(%x: memref<?x8xi32>) {
  // expected-error @below {{expects a contiguous buffer of static shape, got 'memref<?x8xi32>'}}
  commir.check_documents segments(%x : memref<?x8xi32>)
  return
}

// -----

func.func @check_documents_c2_keys_of_segments(%x: tensor<8xi32>) {
  // expected-error @below {{expects 'keys' beside 'lengths', got 8 beside 'segments'}}
  commir.check_documents segments(%x : tensor<8xi32>) keys 8
  return
}

// -----

func.func @check_documents_c2_negative_keys(%x: tensor<8xi32>) {
  // expected-error @below {{expects 'keys' not to be negative, got -1}}
  commir.check_documents lengths(%x : tensor<8xi32>) keys -1
  return
}
