// What has no call, by the line of the op.
// RUN: mercury-opt %s --convert-commir-to-nccl -split-input-file -verify-diagnostics
//
// Passes keep locations: the message names a line of the program that the user wrote.
// RUN: not mercury-opt %S/Inputs/unsupported-type.mlir "--mercury-distribute-pipeline=schedule=k_split topology=gpu=2" --mercury-host-pipeline 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: unsupported-type.mlir:4:8: error: {{.*}}i16

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @moves_unsupported_type(%a: memref<8xi16>, %b: memref<4x8xi16>) {
  // expected-error @+1 {{moves elements of type 'i16', which the communication ABI has no type for}}
  commir.all_gather %a into %b over {gpu} : memref<8xi16> into memref<4x8xi16>
  return
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @hops_unsupported_type(%a: memref<8xi16>, %b: memref<8xi16>) {
  // expected-error @+1 {{moves elements of type 'i16', which the communication ABI has no type for}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xi16> into memref<8xi16>
  return
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

// Truth values are bytes, which have a largest and no sum.
func.func @reduces_truth_values(%a: memref<8xi1>) {
  commir.all_reduce max %a over {gpu} : memref<8xi1>
  commir.all_reduce min %a over {gpu} : memref<8xi1>
  // expected-error @+1 {{reduces elements of type 'i1', which the communication ABI has no type for}}
  commir.all_reduce sum %a over {gpu} : memref<8xi1>
  return
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @shift_is_left(%t: index, %r: index, %a: memref<8xf32>) {
  // expected-error @+1 {{is left at the conversion to calls}}
  %s = commir.shift %t by %r mod 4
  %x = memref.subview %a[%s] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
  return
}

// -----

// expected-error @+1 {{no topology resolves}}
func.func @no_topology(%a: memref<8xf32>) {
  return
}
