// What cannot be placed on ranks is refused by name: exit code 2.

// RUN: sh -c 'mercury-run --entry=dynamic --topology=gpu=2 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: mercury-run: error: argument 1 of @dynamic has type 'tensor<8x?xf32>' with a dynamic extent in dimension 1, but extents must be static
// DYNAMIC: exit 2
func.func @dynamic(%a: tensor<8x8xf32>, %b: tensor<8x?xf32>) {
  return
}

// RUN: sh -c 'mercury-run --entry=result --topology=gpu=2 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=RESULT
// RESULT: mercury-run: error: result 0 of @result has type 'tensor<?xf32>' with a dynamic extent in dimension 0, but extents must be static
// RESULT: exit 2
func.func @result(%a: tensor<8xf32>) -> tensor<?xf32> {
  %0 = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// RUN: sh -c 'mercury-run --entry=f80 --topology=gpu=2 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=F80
// F80: mercury-run: error: argument 0 of @f80 has elements of type 'f80', but only f64, f32, f16, bf16, i64, i32, i8 and i1 can be run
// F80: exit 2
func.func @f80(%a: tensor<8xf80>) {
  return
}

// RUN: sh -c 'mercury-run --entry=number --topology=gpu=2 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=NUMBER
// NUMBER: mercury-run: error: argument 1 of @number has type 'f80', but only ranked tensors, index, f64, f32, f16, bf16, i64, i32, i8 and i1 can be run
// NUMBER: exit 2
func.func @number(%a: tensor<8xf32>, %s: f80) {
  return
}

// RUN: sh -c 'mercury-run --entry=one_number --topology=gpu=2 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=ONE
// ONE: mercury-run: error: result 0 of @one_number has type 'f32', but results are ranked tensors
// ONE: exit 2
func.func @one_number(%s: f32) -> f32 {
  return %s : f32
}
