// commir.attention in its online form.
// RUN: mercury-opt %s --mercury-expand-attention | FileCheck %s --check-prefixes=CHECK,STATE
// RUN: mercury-opt %s --mercury-expand-attention=type=f64 | FileCheck %s --check-prefixes=CHECK,WIDE
// Twice is as good as once.
// RUN: mercury-opt %s --mercury-expand-attention --mercury-expand-attention | FileCheck %s --check-prefixes=CHECK,STATE
//
// RUN: not mercury-opt %s --mercury-expand-attention=type=f16 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: 'type' expects f64 or nothing, got 'f16'

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#b = affine_map<(h, m, n, d, e) -> (m, n)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row = affine_map<(h, m, n, d, e) -> (h, m)>
#colrow = affine_map<(h, m, n, d, e) -> (m, h)>

// Kind of fault: outputs of blocks in the inputs' type. The state is f32, and
// what divides is rounded once, to the output's type.
//
// STATE: #[[ROWOF:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
//
// CHECK-LABEL: func.func @bf16(
// STATE-SAME: %[[Q:[^ ]*]]: tensor<4x8x16xbf16>, %[[K:[^ ]*]]: tensor<4x32x16xbf16>, %[[V:[^ ]*]]: tensor<4x32x12xbf16>,
// STATE-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// STATE-DAG: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// STATE-DAG: %[[A:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<4x8x12xf32>)
// STATE-DAG: %[[M:.*]] = linalg.fill ins(%[[LEAST]] : f32) outs(%{{.*}} : tensor<4x8xf32>)
// STATE: %[[L:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<4x8xf32>)
// STATE: %[[S:.*]]:3 = commir.online_attention maps [{{.*}}] scale 2.500000e-01 ins(%[[Q]], %[[K]], %[[V]] : {{.*}}) outs(%[[A]], %[[M]], %[[L]] : tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
// STATE: %[[O:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #[[ROWOF]], #{{.*}}], {{.*}}} ins(%[[S]]#0, %[[S]]#2 : tensor<4x8x12xf32>, tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8x12xbf16>)
// STATE: ^bb0(%[[ACC:.*]]: f32, %[[SUM:.*]]: f32, %{{.*}}: bf16):
// A row without keys gives zero.
// STATE: %[[EMPTY:.*]] = arith.cmpf oeq, %[[SUM]], %[[NONE:.*]] : f32
// STATE: %[[QUOTIENT:.*]] = arith.divf %[[ACC]], %[[SUM]] : f32
// STATE: %[[VALUE:.*]] = arith.select %[[EMPTY]], %[[NONE]], %[[QUOTIENT]] : f32
// STATE-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[VALUE]] : f32 to bf16
// STATE-NEXT: linalg.yield %[[ROUNDED]] : bf16
// STATE-NOT: arith.truncf
// STATE: return %[[O]]
//
// WIDE-COUNT-3: arith.extf %{{.*}} : bf16 to f64
// WIDE: commir.online_attention {{.*}} ins({{.*}} : tensor<4x8x16xf64>, tensor<4x32x16xf64>, tensor<4x32x12xf64>) outs({{.*}} : tensor<4x8x12xf64>, tensor<4x8xf64>, tensor<4x8xf64>)
// WIDE: arith.truncf %{{.*}} : f64 to bf16
func.func @bf16(%q: tensor<4x8x16xbf16>, %k: tensor<4x32x16xbf16>, %v: tensor<4x32x12xbf16>, %o: tensor<4x8x12xbf16>) -> tensor<4x8x12xbf16> {
  %r = commir.attention maps [#q, #k, #v, #o] scale 0.25
      ins(%q, %k, %v : tensor<4x8x16xbf16>, tensor<4x32x16xbf16>, tensor<4x32x12xbf16>)
      outs(%o : tensor<4x8x12xbf16>) -> tensor<4x8x12xbf16>
  return %r : tensor<4x8x12xbf16>
}

// The log-sum-exp keeps its own order of dimensions and the state's type; mask
// and count of keys go along.
//
// CHECK-LABEL: func.func @log_sum_exp(
// STATE-SAME: %[[B:[^ ]*]]: tensor<8x32xf16>, %[[N:[^ ]*]]: index
// STATE: %[[S:.*]]:3 = commir.online_attention {{.*}} mask(%[[B]] : tensor<8x32xf16>) valid(%[[N]]) outs({{.*}} : tensor<4x8x12xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
// STATE: ins(%[[S]]#0, %[[S]]#2 : tensor<4x8x12xf32>, tensor<8x4xf32>)
// STATE: %[[LSE:.*]] = linalg.generic {{.*}} ins(%[[S]]#1, %[[S]]#2 : tensor<8x4xf32>, tensor<8x4xf32>)
// STATE: ^bb0(%[[MAX:.*]]: f32, %[[SUM:.*]]: f32, %{{.*}}: f32):
// STATE-NEXT: %[[LOG:.*]] = math.log %[[SUM]] : f32
// STATE-NEXT: %[[ADDED:.*]] = arith.addf %[[MAX]], %[[LOG]] : f32
// STATE-NEXT: linalg.yield %[[ADDED]]
// STATE: return %{{.*}}, %[[LSE]]
//
// WIDE: commir.online_attention {{.*}} mask(%{{.*}} : tensor<8x32xf64>) valid(%{{.*}}) outs({{.*}} : tensor<4x8x12xf64>, tensor<8x4xf64>, tensor<8x4xf64>)
// WIDE: math.log %{{.*}} : f64
// WIDE-DAG: arith.truncf %{{.*}} : f64 to f32
func.func @log_sum_exp(%q: tensor<4x8x16xf32>, %k: tensor<4x32x16xf32>, %v: tensor<4x32x12xf32>, %b: tensor<8x32xf16>, %n: index,
                       %o: tensor<4x8x12xf32>, %l: tensor<8x4xf32>) -> (tensor<4x8x12xf32>, tensor<8x4xf32>) {
  %r:2 = commir.attention maps [#q, #k, #v, #b, #o, #colrow]
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x32x16xf32>, tensor<4x32x12xf32>) mask(%b : tensor<8x32xf16>) valid(%n)
      outs(%o, %l : tensor<4x8x12xf32>, tensor<8x4xf32>) -> tensor<4x8x12xf32>, tensor<8x4xf32>
  return %r#0, %r#1 : tensor<4x8x12xf32>, tensor<8x4xf32>
}

// One f64 input makes the state f64; the output is rounded, or wider than the
// state.
//
// CHECK-LABEL: func.func @f64(
// CHECK: commir.online_attention {{.*}} outs({{.*}} : tensor<4x8x12xf64>, tensor<4x8xf64>, tensor<4x8xf64>)
// CHECK: arith.truncf %{{.*}} : f64 to f16
func.func @f64(%q: tensor<4x8x16xf32>, %k: tensor<4x32x16xf64>, %v: tensor<4x32x12xf32>, %o: tensor<4x8x12xf16>) -> tensor<4x8x12xf16> {
  %r = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x32x16xf64>, tensor<4x32x12xf32>)
      outs(%o : tensor<4x8x12xf16>) -> tensor<4x8x12xf16>
  return %r : tensor<4x8x12xf16>
}

// CHECK-LABEL: func.func @wider_output(
// STATE: commir.online_attention {{.*}} outs({{.*}} : tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
// STATE: arith.extf %{{.*}} : f32 to f64
func.func @wider_output(%q: tensor<4x8x16xf32>, %k: tensor<4x32x16xf32>, %v: tensor<4x32x12xf32>, %o: tensor<4x8x12xf64>) -> tensor<4x8x12xf64> {
  %r = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x32x16xf32>, tensor<4x32x12xf32>)
      outs(%o : tensor<4x8x12xf64>) -> tensor<4x8x12xf64>
  return %r : tensor<4x8x12xf64>
}

// CHECK-LABEL: func.func @dynamic(
// STATE: %[[HEADS:.*]] = tensor.dim %[[O:.*]], %{{.*}} : tensor<?x?x12xf32>
// STATE: %[[ROWS:.*]] = tensor.dim %[[O]], %{{.*}} : tensor<?x?x12xf32>
// STATE: tensor.empty(%[[HEADS]], %[[ROWS]]) : tensor<?x?x12xf32>
// STATE: commir.online_attention {{.*}} outs({{.*}} : tensor<?x?x12xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
func.func @dynamic(%q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x12xf32>, %o: tensor<?x?x12xf32>) -> tensor<?x?x12xf32> {
  %r = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x12xf32>)
      outs(%o : tensor<?x?x12xf32>) -> tensor<?x?x12xf32>
  return %r : tensor<?x?x12xf32>
}

// What has a schedule is distributed as it is; buffers and what is online are
// left alone, the latter widened on request.
//
// CHECK-LABEL: func.func @left_alone(
// CHECK: commir.attention {{.*}} {commir.schedule
// STATE: commir.online_attention {{.*}} outs({{.*}} : tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
// WIDE: commir.online_attention {{.*}} outs({{.*}} : tensor<4x8x12xf64>, tensor<4x8xf64>, tensor<4x8xf64>)
// CHECK: commir.attention {{.*}} outs({{.*}} : memref<4x8x12xf32>)
func.func @left_alone(%q: tensor<4x8x16xf32>, %k: tensor<4x32x16xf32>, %v: tensor<4x32x12xf32>, %o: tensor<4x8x12xf32>, %m: tensor<4x8xf32>,
                      %qb: memref<4x8x16xf32>, %kb: memref<4x32x16xf32>, %vb: memref<4x32x12xf32>, %ob: memref<4x8x12xf32>) -> (tensor<4x8x12xf32>, tensor<4x8x12xf32>) {
  %0 = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x32x16xf32>, tensor<4x32x12xf32>)
      outs(%o : tensor<4x8x12xf32>) {commir.schedule = #commir.schedule<"loops [rank gpu, -] inputs [[{gpu}, {}, {}], [{gpu}, {}, {}], [{gpu}, {}, {}]] results [[{gpu}, {}, {}]]">} -> tensor<4x8x12xf32>
  %1:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x32x16xf32>, tensor<4x32x12xf32>)
      outs(%o, %m, %m : tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  commir.attention maps [#q, #k, #v, #o]
      ins(%qb, %kb, %vb : memref<4x8x16xf32>, memref<4x32x16xf32>, memref<4x32x12xf32>)
      outs(%ob : memref<4x8x12xf32>)
  return %0, %1#0 : tensor<4x8x12xf32>, tensor<4x8x12xf32>
}
