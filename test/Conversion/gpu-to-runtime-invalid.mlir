// RUN: mercury-opt %s --convert-gpu-to-runtime -split-input-file -verify-diagnostics

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target, bin = "x">]
  // expected-error @+1 {{launches kernels and has no context as its first argument}}
  func.func @no_context(%a: memref<64xf32>, %stream: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%a : memref<64xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target, bin = "x">]
  func.func @no_stream(%ctx: !llvm.ptr, %a: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{expects a stream and neither tokens nor clusters}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%a : memref<64xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @no_binary(%ctx: !llvm.ptr, %stream: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{launches a kernel of @kernels, which is not a gpu.binary of one object}}
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target, bin = "x">]
  func.func @offset(%ctx: !llvm.ptr, %stream: !llvm.ptr,
                    %a: memref<8xf32, strided<[1], offset: 8>>) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{passes 'memref<8xf32, strided<[1], offset: 8>>', which is neither a buffer without offset nor a number}}
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@k blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%a : memref<8xf32, strided<[1], offset: 8>>)
    return
  }
}
