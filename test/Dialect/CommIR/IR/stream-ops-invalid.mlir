// RUN: mercury-opt %s -split-input-file -verify-diagnostics

func.func private @k(%a: memref<8xf32>) { return }
func.func @launch_c1_no_kernel(%a: memref<8xf32>) {
  // expected-error @below {{expects @k to be a function without results that has the attribute 'commir.kernel'}}
  commir.launch @k outs(%a : memref<8xf32>)
  return
}

// -----

func.func @launch_c1_no_function(%a: memref<8xf32>) {
  // expected-error @below {{expects @nobody to be a function without results}}
  commir.launch @nobody outs(%a : memref<8xf32>)
  return
}

// -----

func.func private @k() -> index attributes {commir.kernel}
func.func @launch_c1_result() {
  // expected-error @below {{expects @k to be a function without results}}
  commir.launch @k
  return
}

// -----

func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @launch_c2_number(%a: memref<8xf32>) {
  // expected-error @below {{passes 2 operands to @k, which takes 1}}
  commir.launch @k ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @launch_c2_type(%a: memref<8xf32, strided<[2], offset: 1>>) {
  // expected-error @below {{passes 'memref<8xf32, strided<[2], offset: 1>>' as argument 0 of @k, which is 'memref<8xf32>'}}
  commir.launch @k outs(%a : memref<8xf32, strided<[2], offset: 1>>)
  return
}

// -----

func.func private @k(%a: memref<?xf32>) attributes {commir.kernel} { return }
func.func @launch_c3_dynamic(%a: memref<?xf32>) {
  // expected-error @below {{expects buffers of static shape and strides, got 'memref<?xf32>'}}
  commir.launch @k outs(%a : memref<?xf32>)
  return
}

// -----

func.func @record_event_c1_negative() {
  // expected-error @below {{expects an event that is not negative, got -1}}
  commir.record_event -1 on compute
  return
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func @record_event_c2_axis() {
  // expected-error @below {{axis 'node'}}
  commir.record_event 0 on {node}
  return
}

// -----

func.func @wait_event_c1_negative() {
  // expected-error @below {{expects an event that is not negative, got -2}}
  commir.wait_event -2 on compute
  return
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func @wait_event_c2_twice() {
  // expected-error @below {{axis 'gpu'}}
  commir.wait_event 0 on {gpu, gpu}
  return
}
