// RUN: mercury-opt %s --mercury-patch-kernels="kernel=mine,attention,f32,my_attention" --split-input-file --verify-diagnostics

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#a = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>
#s = affine_map<(m, n, d, e) -> (m, n)>

func.func @mask(%q: memref<8x4xf32>, %s: memref<8x8xf32>, %m: memref<8xf32>) {
  // expected-error@+1 {{kernel 'mine' does not take this op: the op has a mask}}
  commir.online_attention maps [#q, #k, #v, #s, #a, #r, #r]
    ins(%q, %q, %q : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) mask(%s : memref<8x8xf32>)
    outs(%q, %m, %m : memref<8x4xf32>, memref<8xf32>, memref<8xf32>) {commir.patch = "mine"}
  return
}

func.func @ranges(%q: memref<8x4xf32>, %m: memref<8xf32>, %b: memref<8xi32>) {
  // expected-error@+1 {{kernel 'mine' does not take this op: it takes the form attention, the op has masked_attention}}
  commir.online_attention maps [#q, #k, #v, #r, #r, #a, #r, #r]
    ins(%q, %q, %q : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) key_range(%b, %b : memref<8xi32>, memref<8xi32>)
    outs(%q, %m, %m : memref<8x4xf32>, memref<8xf32>, memref<8xf32>) {commir.patch = "mine"}
  return
}

func.func @positions(%q: memref<8x4xf32>, %m: memref<8xf32>) {
  // expected-error@+1 {{kernel 'mine' does not take this op: the op has a mask that is not ranges of its keys yet}}
  commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %q, %q : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) visible <right 0>
    outs(%q, %m, %m : memref<8x4xf32>, memref<8xf32>, memref<8xf32>) {commir.patch = "mine"}
  return
}

func.func @types(%q: memref<8x4xbf16>, %a: memref<8x4xf32>, %m: memref<8xf32>) {
  // expected-error@+1 {{kernel 'mine' does not take this op: it takes f32, f32, f32 -> f32, the op has bf16, bf16, bf16 -> f32}}
  commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %q, %q : memref<8x4xbf16>, memref<8x4xbf16>, memref<8x4xbf16>)
    outs(%a, %m, %m : memref<8x4xf32>, memref<8xf32>, memref<8xf32>) {commir.patch = "mine"}
  return
}

func.func @dynamic(%q: memref<?x4xf32>, %m: memref<?xf32>) {
  // expected-error@+1 {{kernel 'mine' does not take this op: the op has dynamic extents}}
  commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %q, %q : memref<?x4xf32>, memref<?x4xf32>, memref<?x4xf32>)
    outs(%q, %m, %m : memref<?x4xf32>, memref<?xf32>, memref<?xf32>) {commir.patch = "mine"}
  return
}

func.func @features_apart(%q: memref<8x4xf32>, %k: memref<8x4xf32, strided<[1, 8]>>, %m: memref<8xf32>) {
  // expected-error@+1 {{kernel 'mine' does not take this op: the key is not contiguous along its features}}
  commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %k, %q : memref<8x4xf32>, memref<8x4xf32, strided<[1, 8]>>, memref<8x4xf32>)
    outs(%q, %m, %m : memref<8x4xf32>, memref<8xf32>, memref<8xf32>) {commir.patch = "mine"}
  return
}

func.func @queries_apart(%q: memref<8x4xf32>, %m: memref<8xf32>, %l: memref<8xf32, strided<[2]>>) {
  // expected-error@+1 {{kernel 'mine' does not take this op: the sum is not contiguous along its queries}}
  commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %q, %q : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>)
    outs(%q, %m, %l : memref<8x4xf32>, memref<8xf32>, memref<8xf32, strided<[2]>>) {commir.patch = "mine"}
  return
}

func.func @form(%q: memref<8x4xf32>, %m: memref<8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: it computes contractions, the op is attention}}
  commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %q, %q : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>)
    outs(%q, %m, %m : memref<8x4xf32>, memref<8xf32>, memref<8xf32>) {commir.patch = "blas"}
  return
}

func.func @contraction(%a: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'mine' does not take this op: it computes attention, the op is a contraction}}
  linalg.matmul {commir.patch = "mine"} ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

func.func @on_tensors(%q: tensor<8x4xf32>, %m: tensor<8xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{kernel 'mine' does not take this op: the op does not work on memrefs}}
  %r:3 = commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
    outs(%q, %m, %m : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) {commir.patch = "mine"}
    -> tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0 : tensor<8x4xf32>
}
