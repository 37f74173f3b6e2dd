// RUN: split-file %s %t && mkdir -p %t/empty \
// RUN:   && not mercury-opt %t/math.mlir '--pass-pipeline=builtin.module(mercury-kernels-to-binary{format=isa toolkit=%t/empty})' 2>&1 | FileCheck %s --check-prefix=LIBDEVICE -DROOT=%t/empty
// RUN: not mercury-opt %t/plain.mlir '--pass-pipeline=builtin.module(mercury-kernels-to-binary{format=bin toolkit=%t/empty})' 2>&1 | FileCheck %s --check-prefix=PTXAS -DROOT=%t/empty
// RUN: not mercury-opt %t/math.mlir '--pass-pipeline=builtin.module(mercury-kernels-to-binary{format=fatbin toolkit=%t/empty})' 2>&1 | FileCheck %s --check-prefix=FATBIN -DROOT=%t/empty
// RUN: not mercury-opt %t/plain.mlir '--pass-pipeline=builtin.module(mercury-kernels-to-binary{format=cubin})' 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not mercury-opt %t/plain.mlir --mercury-serialize-kernels 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not mercury-opt %t/vector.mlir '--pass-pipeline=builtin.module(mercury-kernels-to-binary{format=isa})' 2>&1 | FileCheck %s --check-prefix=LOWERED
//
// PTX without calls of libdevice needs nothing of CUDA.
// RUN: env -u CUDA_HOME -u CUDA_ROOT -u CUDA_PATH mercury-opt %t/plain.mlir '--pass-pipeline=builtin.module(mercury-kernels-to-binary{format=isa toolkit=%t/empty})' | FileCheck %s --check-prefix=PLAIN

// LIBDEVICE: error: format 'isa': no CUDA toolkit with nvvm/libdevice/libdevice.10.bc, looked in: option toolkit ([[ROOT]])
// PTXAS: error: format 'bin': no CUDA toolkit with bin/ptxas, looked in: option toolkit ([[ROOT]])
// FATBIN: error: format 'fatbin': no CUDA toolkit with nvvm/libdevice/libdevice.10.bc and bin/ptxas and bin/fatbinary, looked in: option toolkit ([[ROOT]])
// FORMAT: error: format 'cubin' is not one of isa, bin, fatbin
// TARGET: error: {{.*}}has no target: run mercury-attach-target
// LOWERED: error: 'vector.multi_reduction' op has no lowering to the nvvm dialect
// PLAIN: gpu.binary @kernels
// PLAIN-SAME: .entry k(

//--- math.mlir
gpu.module @kernels {
  gpu.func @k(%a: memref<64xf32>, %i: index) kernel {
    %x = memref.load %a[%i] : memref<64xf32>
    %y = math.exp %x : f32
    memref.store %y, %a[%i] : memref<64xf32>
    gpu.return
  }
}
//--- plain.mlir
gpu.module @kernels {
  gpu.func @k(%a: memref<64xf32>, %i: index) kernel {
    %x = memref.load %a[%i] : memref<64xf32>
    memref.store %x, %a[%i] : memref<64xf32>
    gpu.return
  }
}
//--- vector.mlir
gpu.module @kernels {
  gpu.func @k(%a: memref<64xf32>, %z: f32, %i: index) kernel {
    %x = vector.load %a[%i] : memref<64xf32>, vector<8xf32>
    %y = vector.multi_reduction <add>, %x, %z [0] : vector<8xf32> to f32
    memref.store %y, %a[%i] : memref<64xf32>
    gpu.return
  }
}
