// Every schedule that has a name passes, at stage 3 and on buffers with
// communication started early and waited for late. Blocks of 16, 24 and 8 do not
// come out even on all of these: some are padded.
//
// DEFINE: %{topology} =
// DEFINE: %{schedule} =
// DEFINE: %{play} = mercury-opt %s --pass-pipeline="builtin.module(mercury-distribute-pipeline{topology=%{topology} schedule=%{schedule}},mercury-verify-spmd,mercury-verify-communication,func.func(mercury-make-destinations),eliminate-empty-tensors,one-shot-bufferize,cse,canonicalize,func.func(buffer-loop-hoisting),buffer-deallocation-pipeline,convert-bufferization-to-memref,func.func(mercury-lower-rotation),canonicalize,cse,mercury-verify-communication,func.func(mercury-overlap),mercury-verify-communication)"
//
// REDEFINE: %{topology} = gpu=4
// REDEFINE: %{schedule} = default
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = replicated
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = data_parallel
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = all_gather_gemm
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = all_gather_gemm_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = weight_gathered
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = weight_gathered_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_columns
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_columns_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_all_reduce
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_all_reduce_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_2d
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_2d_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = k_split
// RUN: %{play} | FileCheck %s
//
// REDEFINE: %{topology} = node=2,gpu=2
// REDEFINE: %{schedule} = default
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = replicated
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = data_parallel
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = all_gather_gemm
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = all_gather_gemm_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = weight_gathered
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = weight_gathered_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_columns
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_columns_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_all_reduce
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_all_reduce_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_2d
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_2d_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = k_split
// RUN: %{play} | FileCheck %s
//
// REDEFINE: %{topology} = node=2,gpu=3
// REDEFINE: %{schedule} = default
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = replicated
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = data_parallel
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = all_gather_gemm
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = all_gather_gemm_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = weight_gathered
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = weight_gathered_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_columns
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_columns_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_all_reduce
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_all_reduce_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_2d
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_2d_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = k_split
// RUN: %{play} | FileCheck %s
//
// REDEFINE: %{topology} = gpu=8
// REDEFINE: %{schedule} = default
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = replicated
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = data_parallel
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = all_gather_gemm
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = all_gather_gemm_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = weight_gathered
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = weight_gathered_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_columns
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_reduce_scatter_columns_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_all_reduce
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_all_reduce_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_2d
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = gemm_2d_shifted
// RUN: %{play} | FileCheck %s
// REDEFINE: %{schedule} = k_split
// RUN: %{play} | FileCheck %s
//

// CHECK: commir.topology @topology
// CHECK: func.func @gemm(
// CHECK-NOT: commir.rotate
// CHECK: return
func.func @gemm(%a: tensor<16x24xf32>, %b: tensor<24x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x8xf32>) -> tensor<16x8xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x24xf32>, tensor<24x8xf32>) outs(%init : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}
