// Forms that a softmax arrives in. Kind of fault: one that a frontend emits is not
// recognised (torch-mlir#4700, #3831, #4279). Maps of all of them:
//
// RUN: mercury-opt %s --mercury-raise-attention | FileCheck %s
//
// CHECK: #[[Q:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK: #[[K:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK: #[[V:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK: #[[O:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>

// CHECK-LABEL: func.func @named(
// CHECK-SAME: %[[Q0:.+]]: tensor<2x8x16xf32>, %[[K0:.+]]: tensor<2x16x12xf32>, %[[V0:.+]]: tensor<2x12x4xf32>
// CHECK-NEXT: %[[INIT:.+]] = tensor.empty() : tensor<2x8x4xf32>
// CHECK-NEXT: %[[OUT:.+]] = commir.attention maps [#[[Q]], #[[K]], #[[V]], #[[O]]] ins(%[[Q0]], %[[K0]], %[[V0]] :
// CHECK-SAME: outs(%[[INIT]] : tensor<2x8x4xf32>)
// CHECK-NEXT: return %[[OUT]]
func.func @named(%q: tensor<2x8x16xf32>, %k: tensor<2x16x12xf32>, %v: tensor<2x12x4xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x12xf32>
  %eo = tensor.empty() : tensor<2x8x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x8x16xf32>, tensor<2x16x12xf32>) outs(%zs : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x12xf32>) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x12xf32>, tensor<2x12x4xf32>) outs(%zo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// CHECK-LABEL: func.func @divided(
// CHECK-NEXT: tensor.empty()
// CHECK-NEXT: commir.attention maps [#[[Q]], #[[K]], #[[V]], #[[O]]] ins(
// CHECK-NEXT: return
func.func @divided(%q: tensor<2x8x16xf32>, %k: tensor<2x16x12xf32>, %v: tensor<2x12x4xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x8x12xf32>
  %er = tensor.empty() : tensor<2x8xf32>
  %eo = tensor.empty() : tensor<2x8x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %lr = linalg.fill ins(%lowest : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x8x16xf32>, tensor<2x16x12xf32>) outs(%zs : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<2x8x12xf32>) outs(%lr : tensor<2x8xf32>) dimensions = [2]
  %mb = linalg.broadcast ins(%m : tensor<2x8xf32>) outs(%es : tensor<2x8x12xf32>) dimensions = [2]
  %d = linalg.sub ins(%s, %mb : tensor<2x8x12xf32>, tensor<2x8x12xf32>) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %x = linalg.exp ins(%d : tensor<2x8x12xf32>) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<2x8x12xf32>) outs(%zr : tensor<2x8xf32>) dimensions = [2]
  %lb = linalg.broadcast ins(%l : tensor<2x8xf32>) outs(%es : tensor<2x8x12xf32>) dimensions = [2]
  %p = linalg.div ins(%x, %lb : tensor<2x8x12xf32>, tensor<2x8x12xf32>) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x12xf32>, tensor<2x12x4xf32>) outs(%zo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// From the lowest finite number, elementwise arith on tensors, a constant as
// the initial value, the reciprocal.
// CHECK-LABEL: func.func @reciprocal(
// CHECK-NEXT: tensor.empty()
// CHECK-NEXT: commir.attention maps [#[[Q]], #[[K]], #[[V]], #[[O]]] ins(
// CHECK-NEXT: return
func.func @reciprocal(%q: tensor<2x8x16xf32>, %k: tensor<2x16x12xf32>, %v: tensor<2x12x4xf32>) -> tensor<2x8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<2x8xf32>
  %lr = arith.constant dense<-3.40282347E+38> : tensor<2x8xf32>
  %ones = arith.constant dense<1.0> : tensor<2x8xf32>
  %zo = arith.constant dense<0.0> : tensor<2x8x4xf32>
  %es = tensor.empty() : tensor<2x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x8x16xf32>, tensor<2x16x12xf32>) outs(%zs : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<2x8x12xf32>) outs(%lr : tensor<2x8xf32>) dimensions = [2]
  %mb = linalg.broadcast ins(%m : tensor<2x8xf32>) outs(%es : tensor<2x8x12xf32>) dimensions = [2]
  %d = arith.subf %s, %mb : tensor<2x8x12xf32>
  %x = math.exp %d : tensor<2x8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<2x8x12xf32>) outs(%zr : tensor<2x8xf32>) dimensions = [2]
  %r = arith.divf %ones, %l : tensor<2x8xf32>
  %rb = linalg.broadcast ins(%r : tensor<2x8xf32>) outs(%es : tensor<2x8x12xf32>) dimensions = [2]
  %p = arith.mulf %rb, %x : tensor<2x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x12xf32>, tensor<2x12x4xf32>) outs(%zo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// CHECK-LABEL: func.func @log_sum_exp(
// CHECK-NEXT: tensor.empty()
// CHECK-NEXT: commir.attention maps [#[[Q]], #[[K]], #[[V]], #[[O]]] ins(
// CHECK-NEXT: return
func.func @log_sum_exp(%q: tensor<2x8x16xf32>, %k: tensor<2x16x12xf32>, %v: tensor<2x12x4xf32>) -> tensor<2x8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<2x8xf32>
  %lr = arith.constant dense<-3.40282347E+38> : tensor<2x8xf32>
  %zo = arith.constant dense<0.0> : tensor<2x8x4xf32>
  %es = tensor.empty() : tensor<2x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x8x16xf32>, tensor<2x16x12xf32>) outs(%zs : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<2x8x12xf32>) outs(%lr : tensor<2x8xf32>) dimensions = [2]
  %mb = linalg.broadcast ins(%m : tensor<2x8xf32>) outs(%es : tensor<2x8x12xf32>) dimensions = [2]
  %d = arith.subf %s, %mb : tensor<2x8x12xf32>
  %x = math.exp %d : tensor<2x8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<2x8x12xf32>) outs(%zr : tensor<2x8xf32>) dimensions = [2]
  %log = math.log %l : tensor<2x8xf32>
  %lse = arith.addf %m, %log : tensor<2x8xf32>
  %lseb = linalg.broadcast ins(%lse : tensor<2x8xf32>) outs(%es : tensor<2x8x12xf32>) dimensions = [2]
  %e = arith.subf %s, %lseb : tensor<2x8x12xf32>
  %p = math.exp %e : tensor<2x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x12xf32>, tensor<2x12x4xf32>) outs(%zo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// As linalg.softmax decomposes: the exponentials fused into their readers, the
// maximum started from NaN, which maxnumf ignores. The scale is fused, too.
#sn = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#sm = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @fused(
// CHECK-NEXT: tensor.empty()
// CHECK-NEXT: commir.attention maps [#[[Q]], #[[K]], #[[V]], #[[O]]] scale 2.500000e-01 ins(
// CHECK-NEXT: return
func.func @fused(%q: tensor<2x8x16xf32>, %k: tensor<2x16x12xf32>, %v: tensor<2x12x4xf32>) -> tensor<2x8x4xf32> {
  %scale = arith.constant 0.25 : f32
  %zs = arith.constant dense<0.0> : tensor<2x8x12xf32>
  %zr = arith.constant dense<-0.0> : tensor<2x8xf32>
  %nan = arith.constant dense<0xFFC00000> : tensor<2x8xf32>
  %zo = arith.constant dense<0.0> : tensor<2x8x4xf32>
  %es = tensor.empty() : tensor<2x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x8x16xf32>, tensor<2x16x12xf32>) outs(%zs : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %m = linalg.generic {indexing_maps = [#sn, #sm], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x8x12xf32>) outs(%nan : tensor<2x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.mulf %a, %scale : f32
    %1 = arith.maxnumf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x8xf32>
  %l = linalg.generic {indexing_maps = [#sn, #sm, #sm], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %m : tensor<2x8x12xf32>, tensor<2x8xf32>) outs(%zr : tensor<2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %scale, %a : f32
    %1 = arith.subf %0, %b : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %out : f32
    linalg.yield %3 : f32
  } -> tensor<2x8xf32>
  %p = linalg.generic {indexing_maps = [#sn, #sm, #sm, #sn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m, %l : tensor<2x8x12xf32>, tensor<2x8xf32>, tensor<2x8xf32>) outs(%es : tensor<2x8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %scale : f32
    %1 = arith.subf %0, %b : f32
    %2 = math.exp %1 : f32
    %3 = arith.divf %2, %c : f32
    linalg.yield %3 : f32
  } -> tensor<2x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x12xf32>, tensor<2x12x4xf32>) outs(%zo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// The two contractions as generics whose operands stand in another order, and
// whose loops do: the transposed output, with the keys' loop first.
#wt = affine_map<(n, e, m) -> (m, n)>
#vt = affine_map<(n, e, m) -> (n, e)>
#ot = affine_map<(n, e, m) -> (e, m)>
// CHECK-LABEL: func.func @transposed_output(
// CHECK-SAME: %[[Q0:.+]]: tensor<8x16xf32>, %[[K0:.+]]: tensor<12x16xf32>, %[[V0:.+]]: tensor<12x4xf32>
// CHECK: commir.attention maps [#[[Q2:.+]], #[[K2:.+]], #[[V2:.+]], #[[O2:.+]]] ins(%[[Q0]], %[[K0]], %[[V0]] :
// CHECK-SAME: -> tensor<4x8xf32>
// CHECK-NEXT: return
func.func @transposed_output(%q: tensor<8x16xf32>, %k: tensor<12x16xf32>, %v: tensor<12x4xf32>) -> tensor<4x8xf32> {
  %zs = arith.constant dense<0.0> : tensor<12x8xf32>
  %zo = arith.constant dense<0.0> : tensor<4x8xf32>
  %es = tensor.empty() : tensor<12x8xf32>
  %et = tensor.empty() : tensor<8x12xf32>
  %qe = tensor.empty() : tensor<16x8xf32>
  %qt = linalg.transpose ins(%q : tensor<8x16xf32>) outs(%qe : tensor<16x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%k, %qt : tensor<12x16xf32>, tensor<16x8xf32>) outs(%zs : tensor<12x8xf32>) -> tensor<12x8xf32>
  %p = linalg.softmax dimension(0) ins(%s : tensor<12x8xf32>) outs(%es : tensor<12x8xf32>) -> tensor<12x8xf32>
  %pt = linalg.transpose ins(%p : tensor<12x8xf32>) outs(%et : tensor<8x12xf32>) permutation = [1, 0]
  %o = linalg.generic {indexing_maps = [#vt, #wt, #ot], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%v, %pt : tensor<12x4xf32>, tensor<8x12xf32>) outs(%zo : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}
