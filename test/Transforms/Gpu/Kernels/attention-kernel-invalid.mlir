// RUN: mercury-opt --mercury-lower-kernels-to-gpu --split-input-file --verify-diagnostics %s

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>

// Attention comes alone.
// expected-error @below {{no device code is known for this kernel}}
func.func private @two(
    %q: memref<4x8xf32>, %k: memref<4x8xf32>, %v: memref<4x8xf32>,
    %a: memref<4x8xf32>, %m: memref<4xf32>, %l: memref<4xf32>)
    attributes {commir.kernel} {
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
    outs(%a, %m, %l : memref<4x8xf32>, memref<4xf32>, memref<4xf32>)
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
    outs(%a, %m, %l : memref<4x8xf32>, memref<4xf32>, memref<4xf32>)
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>

// A grid is as large as the operands.
// expected-error @below {{no device code is known for this kernel}}
func.func private @dynamic(
    %q: memref<?x8xf32>, %k: memref<4x8xf32>, %v: memref<4x8xf32>,
    %a: memref<?x8xf32>, %m: memref<?xf32>, %l: memref<?xf32>)
    attributes {commir.kernel} {
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<?x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
    outs(%a, %m, %l : memref<?x8xf32>, memref<?xf32>, memref<?xf32>)
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>

// Kernels know no positions.
// expected-error @below {{no device code is known for this kernel}}
func.func private @visible(
    %q: memref<4x8xf32>, %k: memref<4x8xf32>, %v: memref<4x8xf32>,
    %a: memref<4x8xf32>, %m: memref<4xf32>, %l: memref<4xf32>)
    attributes {commir.kernel} {
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
    visible <right 0>
    outs(%a, %m, %l : memref<4x8xf32>, memref<4xf32>, memref<4xf32>)
  return
}
