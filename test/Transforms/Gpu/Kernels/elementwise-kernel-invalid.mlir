// RUN: mercury-opt --split-input-file --verify-diagnostics --mercury-lower-kernels-to-gpu %s

// A block would need rows and columns of what another one writes.
// expected-error @below {{no device code is known for this kernel}}
func.func private @symmetric(%x: memref<128x128xf32>, %y: memref<128x128xf32>) attributes {commir.kernel} {
  linalg.exp ins(%x : memref<128x128xf32>) outs(%x : memref<128x128xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : memref<128x128xf32>, memref<128x128xf32>) outs(%y : memref<128x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// expected-error @below {{no device code is known for this kernel}}
func.func private @loop(%x: memref<8xf32>) attributes {commir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    linalg.exp ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  }
  return
}

// -----

// expected-error @below {{no device code is known for this kernel}}
func.func private @nothing(%x: memref<8xf32>) attributes {commir.kernel} {
  return
}

// -----

// expected-error @below {{this kernel has no body to make device code of}}
func.func private @declared(memref<8xf32>) attributes {commir.kernel}

// -----

// expected-error @below {{no device code is known for this kernel}}
func.func private @backwards(%x: memref<8xf32, strided<[-1], offset: 7>>, %y: memref<8xf32>) attributes {commir.kernel} {
  linalg.exp ins(%x : memref<8xf32, strided<[-1], offset: 7>>) outs(%y : memref<8xf32>)
  return
}

// -----

// expected-error @below {{no device code is known for this kernel}}
func.func private @no_output(%x: memref<8xf32>) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) {
  ^bb0(%a: f32):
    linalg.yield
  }
  return
}
