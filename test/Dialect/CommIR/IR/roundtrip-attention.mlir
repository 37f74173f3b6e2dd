// Both forms of attention survive printing and parsing, as text and as bytecode.
// RUN: mercury-opt %s | mercury-opt | FileCheck %s
// RUN: mercury-opt %s --emit-bytecode | mercury-opt | FileCheck %s
// RUN: mercury-opt %s --mlir-print-op-generic | mercury-opt | FileCheck %s

// CHECK-DAG: #[[Q:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK-DAG: #[[K:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>
// CHECK-DAG: #[[V:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-DAG: #[[O:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>
// CHECK-DAG: #[[GROUPQ:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0, d1, d4)>
// CHECK-DAG: #[[GROUPK:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d3)>
// CHECK-DAG: #[[GROUPMASK:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d3)>

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row = affine_map<(h, m, n, d, e) -> (h, m)>

// A scale of 1 is not printed.
// CHECK-LABEL: func.func @attention(
// CHECK: %{{.*}} = commir.attention maps [#[[Q]], #[[K]], #[[V]], #[[O]]] ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8x16xf32>, tensor<4x32x16xf32>, tensor<4x32x12xf32>) outs(%{{.*}} : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
func.func @attention(%q: tensor<4x8x16xf32>, %k: tensor<4x32x16xf32>, %v: tensor<4x32x12xf32>, %o: tensor<4x8x12xf32>) -> tensor<4x8x12xf32> {
  %r = commir.attention maps [#q, #k, #v, #o] scale 1.0
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x32x16xf32>, tensor<4x32x12xf32>)
      outs(%o : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  return %r : tensor<4x8x12xf32>
}

// Two query heads for each KV head, K transposed, queries outside of heads; a
// mask that is broadcast over KV heads and queries.
// CHECK-LABEL: func.func @every_operand(
// CHECK: %{{.*}}:2 = commir.attention maps [#[[GROUPQ]], #[[GROUPK]], #{{.*}}, #[[GROUPMASK]], #{{.*}}, #{{.*}}] scale 2.500000e-01 ins({{.*}}) mask(%{{.*}} : tensor<2x?xf16>) valid(%{{.*}}) outs({{.*}} : tensor<3x2x?x12xbf16>, tensor<3x2x?xf32>) {commir.patch = "mine"} -> tensor<3x2x?x12xbf16>, tensor<3x2x?xf32>
func.func @every_operand(%q: tensor<?x3x2x16xbf16>, %k: tensor<3x16x?xbf16>, %v: tensor<3x?x12xbf16>, %b: tensor<2x?xf16>, %n: index,
                         %o: tensor<3x2x?x12xbf16>, %l: tensor<3x2x?xf32>) -> (tensor<3x2x?x12xbf16>, tensor<3x2x?xf32>) {
  %r:2 = commir.attention maps [
      affine_map<(h, g, m, n, d, e) -> (m, h, g, d)>, affine_map<(h, g, m, n, d, e) -> (h, d, n)>,
      affine_map<(h, g, m, n, d, e) -> (h, n, e)>, affine_map<(h, g, m, n, d, e) -> (g, n)>,
      affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>, affine_map<(h, g, m, n, d, e) -> (h, g, m)>] scale 0.25
      ins(%q, %k, %v : tensor<?x3x2x16xbf16>, tensor<3x16x?xbf16>, tensor<3x?x12xbf16>)
      mask(%b : tensor<2x?xf16>) valid(%n)
      outs(%o, %l : tensor<3x2x?x12xbf16>, tensor<3x2x?xf32>) {commir.patch = "mine"}
      -> tensor<3x2x?x12xbf16>, tensor<3x2x?xf32>
  return %r#0, %r#1 : tensor<3x2x?x12xbf16>, tensor<3x2x?xf32>
}

// CHECK-LABEL: func.func @on_buffers(
// CHECK: commir.attention maps [#[[Q]], #[[K]], #[[V]], #[[O]], #[[ROW]]] ins({{.*}} : memref<4x8x16xf32, strided<[128, 16, 1], offset: ?>>, memref<4x32x16xf32>, memref<4x32x12xf64>) outs(%{{.*}}, %{{.*}} : memref<4x8x12xf32>, memref<4x8xf64>){{$}}
func.func @on_buffers(%q: memref<4x8x16xf32, strided<[128, 16, 1], offset: ?>>, %k: memref<4x32x16xf32>, %v: memref<4x32x12xf64>,
                      %o: memref<4x8x12xf32>, %l: memref<4x8xf64>) {
  commir.attention maps [#q, #k, #v, #o, #row]
      ins(%q, %k, %v : memref<4x8x16xf32, strided<[128, 16, 1], offset: ?>>, memref<4x32x16xf32>, memref<4x32x12xf64>)
      outs(%o, %l : memref<4x8x12xf32>, memref<4x8xf64>)
  return
}

// CHECK-LABEL: func.func @online(
// CHECK: %{{.*}}:3 = commir.online_attention maps [#[[Q]], #[[K]], #[[V]], #[[O]], #[[ROW]], #[[ROW]]] scale 5.000000e-01 ins({{.*}} : tensor<4x8x16xf16>, tensor<4x32x16xf16>, tensor<4x32x12xf16>) valid(%{{.*}}) outs({{.*}} : tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>
func.func @online(%q: tensor<4x8x16xf16>, %k: tensor<4x32x16xf16>, %v: tensor<4x32x12xf16>, %n: index,
                  %a: tensor<4x8x12xf32>, %m: tensor<4x8xf32>, %l: tensor<4x8xf32>) -> (tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %r:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row] scale 0.5
      ins(%q, %k, %v : tensor<4x8x16xf16>, tensor<4x32x16xf16>, tensor<4x32x12xf16>) valid(%n)
      outs(%a, %m, %l : tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
      -> tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  return %r#0, %r#1, %r#2 : tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// The scale keeps every digit.
// CHECK-LABEL: func.func @online_on_buffers(
// CHECK: commir.online_attention maps [#[[Q]], #[[K]], #[[V]], #[[O]], #[[ROW]], #[[ROW]]] scale 0.17677669529663689 ins({{.*}}) outs(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x8x12xf32>, memref<4x8xf32>, memref<4x8xf32>){{$}}
func.func @online_on_buffers(%q: memref<4x8x16xf32>, %k: memref<4x32x16xf32>, %v: memref<4x32x12xf32>,
                             %a: memref<4x8x12xf32>, %m: memref<4x8xf32>, %l: memref<4x8xf32>) {
  commir.online_attention maps [#q, #k, #v, #o, #row, #row] scale 0.17677669529663689
      ins(%q, %k, %v : memref<4x8x16xf32>, memref<4x32x16xf32>, memref<4x32x12xf32>)
      outs(%a, %m, %l : memref<4x8x12xf32>, memref<4x8xf32>, memref<4x8xf32>)
  return
}
