// RUN: mercury-opt --split-input-file --allow-unregistered-dialect --verify-diagnostics --mercury-outline-kernels %s

func.func @store(%x: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.store' op is neither a kernel nor what the host of a device does}}
  memref.store %f, %x[%c0] : memref<8xf32>
  return
}

// -----

func.func @load(%x: memref<8xindex>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{reads an element of a device's buffer on the host}}
  %i = memref.load %x[%c0] : memref<8xindex>
  return
}

// -----

func.func private @other(memref<8xf32>)
func.func @call(%x: memref<8xf32>) {
  // expected-error @below {{is neither a kernel nor what the host of a device does}}
  call @other(%x) : (memref<8xf32>) -> ()
  return
}

// -----

func.func @forall(%x: memref<8x8xf32>) {
  // expected-error @below {{'scf.forall' op stands around the work of one rank}}
  scf.forall (%i) in (8) {
    %v = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    linalg.exp ins(%v : memref<1x8xf32, strided<[8, 1], offset: ?>>) outs(%v : memref<1x8xf32, strided<[8, 1], offset: ?>>)
  }
  return
}

// -----

func.func @dynamic(%x: memref<?xf32>) {
  // expected-error @below {{'linalg.exp' op does not become a kernel: the extent of a loop is dynamic}}
  linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// -----

func.func @strides(%x: memref<8xf32, strided<[?]>>) {
  // expected-error @below {{'linalg.exp' op does not become a kernel: 'memref<8xf32, strided<[?]>>' is not static in shape and strides}}
  linalg.exp ins(%x : memref<8xf32, strided<[?]>>) outs(%x : memref<8xf32, strided<[?]>>)
  return
}

// -----

func.func @tensors(%x: tensor<8xf32>) {
  // expected-error @below {{'linalg.exp' op does not become a kernel: it is not on buffers}}
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @contraction_of_tensors(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'linalg.matmul' op does not become a kernel: it is not on buffers}}
  %0 = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @contraction_of_unknown_size(%a: memref<?x8xf32>, %b: memref<8x8xf32>, %c: memref<?x8xf32>) {
  // expected-error @below {{expects buffers of static shape and strides, got 'memref<?x8xf32>'}}
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x8xf32>) outs(%c : memref<?x8xf32>)
  return
}

// -----

func.func @element(%x: memref<8xi4>) {
  %zero = arith.constant 0 : i4
  // expected-error @below {{'linalg.fill' op does not become a kernel: kernels have no elements of type 'i4'}}
  linalg.fill ins(%zero : i4) outs(%x : memref<8xi4>)
  return
}

// -----

// Each iteration reads what another one writes.
func.func @reversed(%x: memref<8x8xf32>) {
  // expected-error @below {{'linalg.transpose' op does not become a kernel: iterations write elements of a buffer of type 'memref<8x8xf32>' that others read}}
  linalg.transpose ins(%x : memref<8x8xf32>) outs(%x : memref<8x8xf32>) permutation = [1, 0]
  return
}

// -----

func.func @effect(%x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-error @below {{does not become a kernel: its body has 'memref.store', which has effects}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    memref.store %out, %y[%i] : memref<8xf32>
    linalg.yield %out : f32
  }
  return
}

// -----

memref.global "private" @state : memref<8xf32> = dense<0.0>
func.func @state_of_the_program(%x: memref<8xf32>) {
  // expected-error @below {{names @state, which is no constant}}
  %s = memref.get_global @state : memref<8xf32>
  memref.copy %s, %x : memref<8xf32> to memref<8xf32>
  return
}

// -----

memref.global "private" constant @table : memref<8xf32> = dense<0.0>
func.func @write(%x: memref<8xf32>) {
  %t = memref.get_global @table : memref<8xf32>
  // expected-error @below {{'memref.copy' op writes the constant @table}}
  memref.copy %x, %t : memref<8xf32> to memref<8xf32>
  return
}

// -----

// A contraction would get a copy of it.
memref.global "private" constant @sums : memref<8x8xf32> = dense<0.0>
func.func @write_alone(%x: memref<8x8xf32>) {
  %t = memref.get_global @sums : memref<8x8xf32>
  // expected-error @below {{'linalg.matmul' op writes the constant @sums}}
  linalg.matmul ins(%x, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%t : memref<8x8xf32>)
  return
}

// -----

func.func @write_on_host(%x: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.store' op is neither a kernel nor what the host of a device does: communication, views and index arithmetic}}
  memref.store %v, %x[%c0] : memref<8xf32>
  return
}

// -----

func.func @unregistered(%x: memref<8xf32>) {
  // expected-error @below {{'other.op' op is neither a kernel nor what the host of a device does}}
  "other.op"(%x) : (memref<8xf32>) -> ()
  return
}

// -----

func.func @backwards(%x: memref<8xf32, strided<[-1], offset: 7>>, %y: memref<8xf32>) {
  // expected-error @below {{'linalg.exp' op does not become a kernel: 'memref<8xf32, strided<[-1], offset: 7>>' has a negative stride}}
  linalg.exp ins(%x : memref<8xf32, strided<[-1], offset: 7>>) outs(%y : memref<8xf32>)
  return
}

// -----

func.func @no_output(%x: memref<8xf32>) {
  // expected-error @below {{'linalg.generic' op does not become a kernel: it writes nothing}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) {
  ^bb0(%a: f32):
    linalg.yield
  }
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>
func.func @visible(
    %q: memref<4x8xf32>, %k: memref<4x8xf32>, %v: memref<4x8xf32>,
    %a: memref<4x8xf32>, %m: memref<4xf32>, %l: memref<4xf32>) {
  // expected-error @below {{does not become a kernel: its mask is in terms of positions; mercury-materialize-masks makes ranges of keys of them}}
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
    visible <right 0>
    outs(%a, %m, %l : memref<4x8xf32>, memref<4xf32>, memref<4xf32>)
  return
}
