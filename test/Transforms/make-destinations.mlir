// Arguments of public functions become buffers that are read, results become
// buffers that are written.
// RUN: mercury-opt %s --split-input-file --verify-diagnostics --mercury-make-destinations | FileCheck %s

// CHECK-LABEL: func.func @results_become_arguments(
// CHECK-SAME: %[[A:[^ ]+]]: memref<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.placement = #commir.placement<[{gpu}, {}]>}
// CHECK-SAME: %[[N:[^ ]+]]: index
// CHECK-SAME: %[[R:[^ ]+]]: memref<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.placement = #commir.placement<[{gpu}, {}]>, commir.result})
// CHECK: %[[T:.+]] = bufferization.to_tensor %[[A]] restrict : memref<4x8xf32> to tensor<4x8xf32>
// CHECK: %[[D:.+]] = bufferization.to_tensor %[[R]] restrict writable
// CHECK: %[[Y:.+]] = linalg.exp ins(%[[T]]
// CHECK: %[[P:.+]] = bufferization.materialize_in_destination %[[Y]] in %[[D]]
// CHECK: bufferization.materialize_in_destination %[[P]] in restrict writable %[[R]]
// CHECK: return{{$}}
func.func @results_become_arguments(
    %a: tensor<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.placement = #commir.placement<[{gpu}, {}]>}, %n: index)
    -> (tensor<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.placement = #commir.placement<[{gpu}, {}]>}) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.exp ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// An argument that is returned is copied.
//
// CHECK-LABEL: func.func @argument_is_returned(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[R:[^ ]+]]: memref<8xf32> {commir.result})
// CHECK: %[[T:.+]] = bufferization.to_tensor %[[A]]
// CHECK: %[[P:.+]] = bufferization.materialize_in_destination %[[T]] in
// CHECK: bufferization.materialize_in_destination %[[P]] in restrict writable %[[R]]
func.func @argument_is_returned(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// What is reshaped before it is returned is computed in the caller's buffer.
//
// CHECK-LABEL: func.func @reshaped_result(
// CHECK-SAME: %[[A:[^ ]+]]: memref<4x8xf32>, %[[R:[^ ]+]]: memref<32xf32> {commir.result})
// CHECK: %[[D:.+]] = bufferization.to_tensor %[[R]]
// CHECK: %[[Y:.+]] = linalg.exp
// CHECK: %[[E:.+]] = tensor.expand_shape %[[D]] {{\[\[}}0, 1]] output_shape [4, 8]
// CHECK: %[[P:.+]] = bufferization.materialize_in_destination %[[Y]] in %[[E]]
// CHECK: %[[C:.+]] = tensor.collapse_shape %[[P]]
// CHECK: bufferization.materialize_in_destination %[[C]] in restrict writable %[[R]]
func.func @reshaped_result(%a: tensor<4x8xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.exp ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %line = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %line : tensor<32xf32>
}

// Ops do not share an empty tensor, nor one that is filled.
//
// CHECK-LABEL: func.func @own_empty_tensors(
// CHECK: %[[E:.+]] = tensor.empty()
// CHECK-NEXT: %[[Y:.+]] = linalg.exp ins(%{{.+}}) outs(%[[E]]
// CHECK-NEXT: %[[F:.+]] = tensor.empty()
// CHECK-NEXT: %[[FILL:.+]] = linalg.fill {{.*}} outs(%[[F]]
// CHECK-NEXT: linalg.add ins({{.+}}) outs(%[[FILL]]
// CHECK-NEXT: %[[G:.+]] = tensor.empty()
// CHECK-NEXT: %[[FILL2:.+]] = linalg.fill {{.*}} outs(%[[G]]
// CHECK-NEXT: linalg.add ins({{.+}}) outs(%[[FILL2]]
func.func @own_empty_tensors(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.add ins(%a, %y : tensor<8xf32>, tensor<8xf32>) outs(%fill : tensor<8xf32>) -> tensor<8xf32>
  %c = linalg.add ins(%y, %y : tensor<8xf32>, tensor<8xf32>) outs(%fill : tensor<8xf32>) -> tensor<8xf32>
  return %b, %c : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func private @private_functions_keep_tensors(
// CHECK-SAME: tensor<8xf32>) -> tensor<8xf32>
func.func private @private_functions_keep_tensors(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

// expected-error @+1 {{result 0 of type 'index' is no tensor; ranks return tensors only}}
func.func @scalar_result(%a: index) -> index {
  return %a : index
}

// -----

func.func private @g(tensor<8xf32>) -> tensor<8xf32>
func.func @call(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{calls @g with tensors, of which no buffers are made; inline the call first}}
  %0 = call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
