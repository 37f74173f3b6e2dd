// Masks, token orders and documents survive printing and parsing, as text and
// as bytecode.
// RUN: mercury-opt %s | mercury-opt | FileCheck %s
// RUN: mercury-opt %s --emit-bytecode | mercury-opt | FileCheck %s
// RUN: mercury-opt %s --mlir-print-op-generic | mercury-opt | FileCheck %s

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row = affine_map<(h, m, n, d, e) -> (h, m)>
#query = affine_map<(h, m, n, d, e) -> (m)>

// Every operand and attribute of a mask.
// CHECK-LABEL: func.func @every_mask(
// CHECK: commir.attention maps [{{.*}}] ins({{.*}}) valid(%{{.*}}) visible <left 4 right 0 and right 0 prefix 16> query_start(%[[S:.*]]) query_order <zigzag 2 of 16> key_start(%[[S]]) key_order <striped 4 by 2 of 32> key_range(%{{.*}}, %{{.*}} : tensor<8xi32>, tensor<4x8xi32>) outs({{.*}})
func.func @every_mask(%q: tensor<4x8x16xf32>, %k: tensor<4x32x16xf32>, %v: tensor<4x32x12xf32>, %n: index, %s: index,
                      %b: tensor<8xi32>, %e: tensor<4x8xi32>, %o: tensor<4x8x12xf32>) -> tensor<4x8x12xf32> {
  %r = commir.attention maps [#q, #k, #v, #query, #row, #o]
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x32x16xf32>, tensor<4x32x12xf32>) valid(%n)
      visible <left 4 right 0 and right 0 prefix 16>
      query_start(%s) query_order <zigzag 2 of 16> key_start(%s) key_order <striped 4 by 2 of 32>
      key_range(%b, %e : tensor<8xi32>, tensor<4x8xi32>)
      outs(%o : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  return %r : tensor<4x8x12xf32>
}

// CHECK-LABEL: func.func @online(
// CHECK: commir.online_attention {{.*}} visible <right -3> key_order <table [1, 0, 2, 3] of 32> outs(
func.func @online(%q: tensor<4x8x16xf32>, %k: tensor<4x32x16xf32>, %v: tensor<4x32x12xf32>,
                  %o: tensor<4x8x12xf32>, %m: tensor<4x8xf32>, %l: tensor<4x8xf32>) {
  %r:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x32x16xf32>, tensor<4x32x12xf32>)
      visible <right -3> key_order <table [1, 0, 2, 3] of 32>
      outs(%o, %m, %l : tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @ranges_on_buffers(
// CHECK: commir.attention {{.*}} key_range(%{{.*}}, %{{.*}} : memref<8xi32>, memref<8xi32>) outs(
func.func @ranges_on_buffers(%q: memref<4x8x16xf32>, %k: memref<4x32x16xf32>, %v: memref<4x32x12xf32>, %b: memref<8xi32>, %o: memref<4x8x12xf32>) {
  commir.attention maps [#q, #k, #v, #query, #query, #o]
      ins(%q, %k, %v : memref<4x8x16xf32>, memref<4x32x16xf32>, memref<4x32x12xf32>)
      key_range(%b, %b : memref<8xi32>, memref<8xi32>)
      outs(%o : memref<4x8x12xf32>)
  return
}

// CHECK-LABEL: func.func private @attributes()
// CHECK-SAME: attributes {mask = #commir.mask<left 99 and right 0 prefix 16>, order = #commir.token_order<natural of 3>, placement = #commir.placement<{{\[}}{gpu} zigzag 4, {} striped 2 by 8, {} table [1, 0]]>}
func.func private @attributes() attributes {
  mask = #commir.mask<left 99 and right 0 prefix 16>,
  order = #commir.token_order<natural of 3>,
  placement = #commir.placement<[{gpu} zigzag 4, {} striped 2 by 8, {} table [1, 0]]>}

commir.topology @t levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @orders(
// CHECK: commir.shard %{{.*}} to [{gpu} zigzag 4, {}] : tensor<64x8xf32>
// CHECK: commir.arrange %{{.*}} dim 0 as <zigzag 4 of 64> : tensor<64x8xf32>
// CHECK: commir.arrange %{{.*}} dim 0 as <zigzag 4 of 64> back : tensor<64x8xf32>
// CHECK: commir.position %{{.*}} in <striped 4 by 2 of 64>
func.func @orders(%x: tensor<64x8xf32>, %i: index) -> (tensor<64x8xf32>, index) {
  %0 = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<64x8xf32>
  %1 = commir.arrange %0 dim 0 as <zigzag 4 of 64> : tensor<64x8xf32>
  %2 = commir.arrange %1 dim 0 as <zigzag 4 of 64> back : tensor<64x8xf32>
  %p = commir.position %i in <striped 4 by 2 of 64>
  return %2, %p : tensor<64x8xf32>, index
}

// CHECK-LABEL: func.func @documents(
// CHECK: commir.document_ranges segments(%{{.*}} : tensor<2x32xi32>) -> tensor<2x32xi32>, tensor<2x32xi32>
// CHECK: commir.document_ranges lengths(%{{.*}} : tensor<?x3xi32>) query_start(%{{.*}}) -> tensor<?x8xi32>, tensor<?x8xi32>
// CHECK: commir.document_ranges static [5, 3, 24] -> tensor<32xi32>, tensor<32xi32>
func.func @documents(%segments: tensor<2x32xi32>, %lengths: tensor<?x3xi32>, %at: index) {
  %0:2 = commir.document_ranges segments(%segments : tensor<2x32xi32>) -> tensor<2x32xi32>, tensor<2x32xi32>
  %1:2 = commir.document_ranges lengths(%lengths : tensor<?x3xi32>) query_start(%at) -> tensor<?x8xi32>, tensor<?x8xi32>
  %2:2 = commir.document_ranges static [5, 3, 24] -> tensor<32xi32>, tensor<32xi32>
  return
}

// CHECK-LABEL: func.func @checks(
// CHECK: commir.check_documents segments(%{{.*}} : tensor<2x32xi32>)
// CHECK: commir.check_documents lengths(%{{.*}} : tensor<?x3xi32>)
// CHECK: commir.check_documents lengths(%{{.*}} : tensor<?x3xi32>) keys 32
// CHECK: commir.check_documents segments(%{{.*}} : memref<2x8xi32, strided<[8, 1], offset: 16>>)
func.func @checks(%segments: tensor<2x32xi32>, %lengths: tensor<?x3xi32>, %buffer: memref<2x8xi32, strided<[8, 1], offset: 16>>) {
  commir.check_documents segments(%segments : tensor<2x32xi32>)
  commir.check_documents lengths(%lengths : tensor<?x3xi32>)
  commir.check_documents lengths(%lengths : tensor<?x3xi32>) keys 32
  commir.check_documents segments(%buffer : memref<2x8xi32, strided<[8, 1], offset: 16>>)
  return
}
