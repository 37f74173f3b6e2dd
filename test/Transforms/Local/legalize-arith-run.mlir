// RUN: mercury-opt %s --mercury-lower-to-llvm | mlir-runner -O2 -e main --entry-point-result=void --shared-libs=%mlir_c_runner_utils | FileCheck %s

func.func private @printF64(f64)
func.func private @printNewline()

func.func @toBF16(%bits: i64) {
  %x = arith.bitcast %bits : i64 to f64
  %h = arith.truncf %x : f64 to bf16
  %y = arith.extf %h : bf16 to f64
  call @printF64(%y) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @toF16(%bits: i64) {
  %x = arith.bitcast %bits : i64 to f64
  %h = arith.truncf %x : f64 to f16
  %y = arith.extf %h : f16 to f64
  call @printF64(%y) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() {
  // 1 + 2^-8 + 2^-40: rounding through f32 first would give 1.
  // CHECK: 1.00781
  %0 = arith.constant 0x3ff0100000001000 : i64
  call @toBF16(%0) : (i64) -> ()
  // 1 + 2^-8, a tie: to even.
  // CHECK-NEXT: {{^1$}}
  %1 = arith.constant 0x3ff0100000000000 : i64
  call @toBF16(%1) : (i64) -> ()
  // -(1 + 2^-8 - 2^-40): f32 would round up to the tie.
  // CHECK-NEXT: {{^-1$}}
  %2 = arith.constant 0xbff00ffffffff000 : i64
  call @toBF16(%2) : (i64) -> ()
  // 1 + 3 * 2^-8 - 2^-40: f32 would make it a tie, to 1.015625.
  // CHECK-NEXT: 1.00781
  %3 = arith.constant 0x3ff02ffffffff000 : i64
  call @toBF16(%3) : (i64) -> ()
  // CHECK-NEXT: {{nan}}
  %4 = arith.constant 0x7ff8000000000000 : i64
  call @toBF16(%4) : (i64) -> ()
  // CHECK-NEXT: {{^-inf}}
  %5 = arith.constant 0xfff0000000000000 : i64
  call @toBF16(%5) : (i64) -> ()
  // 1e300 overflows.
  // CHECK-NEXT: {{^inf}}
  %6 = arith.constant 0x7e37e43c8800759c : i64
  call @toBF16(%6) : (i64) -> ()
  // 1 + 2^-11 + 2^-40.
  // CHECK-NEXT: 1.00098
  %7 = arith.constant 0x3ff0020000001000 : i64
  call @toF16(%7) : (i64) -> ()
  // CHECK-NEXT: {{^1$}}
  %8 = arith.constant 0x3ff0020000000000 : i64
  call @toF16(%8) : (i64) -> ()
  return
}
