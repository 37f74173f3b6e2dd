// flux#8: a fused reduction of bf16 at 1024 cubed on two ranks reads past its
// buffers.
// RUN: mercury-run %s --topology=gpu=2 --schedule=gemm_reduce_scatter_shifted \
// RUN:   --verify --strict | FileCheck %s
// CHECK: gemm_reduce_scatter_shifted {{.*}} verified

func.func @gemm(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<1024x1024xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %c = linalg.matmul ins(%a, %b : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) outs(%init : tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  return %c : tensor<1024x1024xbf16>
}
