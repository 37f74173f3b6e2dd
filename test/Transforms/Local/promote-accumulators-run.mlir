// DEFINE: %{bufferize} = --canonicalize --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --cse --buffer-deallocation-pipeline
// DEFINE: %{run} = mlir-runner -O2 -e main --entry-point-result=void --shared-libs=%mlir_c_runner_utils
// RUN: mercury-opt %s %{bufferize} --mercury-lower-to-llvm | %{run} | FileCheck %s --check-prefix=PLAIN
// RUN: mercury-opt %s --mercury-promote-accumulators=type=f32 %{bufferize} --mercury-lower-to-llvm | %{run} | FileCheck %s
// RUN: mercury-opt %s --mercury-promote-accumulators=type=f64 %{bufferize} --mercury-lower-to-llvm | %{run} | FileCheck %s

func.func private @printF32(f32)
func.func private @printNewline()

func.func @print(%value: bf16) {
  %wide = arith.extf %value : bf16 to f32
  call @printF32(%wide) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1.0> : tensor<1x1000xbf16>
  %b = arith.constant dense<1.0> : tensor<1000x1xbf16>
  %c = arith.constant dense<8.0> : tensor<1x1xbf16>
  // 256 + 1 is 256 in bf16: only a wide sum gets to 1008.
  // PLAIN: 256
  // CHECK: 1008
  %0 = linalg.matmul ins(%a, %b : tensor<1x1000xbf16>, tensor<1000x1xbf16>) outs(%c : tensor<1x1xbf16>) -> tensor<1x1xbf16>
  %x = tensor.extract %0[%c0, %c0] : tensor<1x1xbf16>
  call @print(%x) : (bf16) -> ()
  // PLAIN: 256
  // CHECK: 1000
  %i = arith.constant dense<0.0> : tensor<1xbf16>
  %1 = linalg.reduce {arith.addf} ins(%a : tensor<1x1000xbf16>) outs(%i : tensor<1xbf16>) dimensions = [1]
  %y = tensor.extract %1[%c0] : tensor<1xbf16>
  call @print(%y) : (bf16) -> ()
  return
}
