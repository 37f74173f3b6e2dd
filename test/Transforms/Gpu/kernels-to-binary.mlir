// REQUIRES: cuda
// RUN: mercury-opt %s --split-input-file --pass-pipeline='builtin.module(mercury-kernels-to-binary{chip=sm_80 format=isa})' | FileCheck %s --check-prefixes=CHECK,ISA -DCHIP=sm_80 -DPTX=8.0
// RUN: mercury-opt %s --split-input-file --pass-pipeline='builtin.module(mercury-kernels-to-binary{chip=sm_89 format=isa})' | FileCheck %s --check-prefixes=CHECK,ISA -DCHIP=sm_89 -DPTX=8.0
// RUN: mercury-opt %s --split-input-file --pass-pipeline='builtin.module(mercury-kernels-to-binary{format=isa features=+ptx83})' | FileCheck %s --check-prefixes=CHECK,ISA -DCHIP=sm_90a -DPTX=8.3
// RUN: mercury-opt %s --split-input-file --pass-pipeline='builtin.module(mercury-kernels-to-binary{chip=sm_100 format=isa})' | FileCheck %s --check-prefixes=CHECK,ISA -DCHIP=sm_100 -DPTX=8.6
// RUN: mercury-opt %s --split-input-file --pass-pipeline='builtin.module(mercury-kernels-to-binary{chip=sm_100})' | FileCheck %s --check-prefixes=CHECK,BIN -DCHIP=sm_100
// RUN: mercury-opt %s --split-input-file --pass-pipeline='builtin.module(mercury-kernels-to-binary{format=fatbin})' | FileCheck %s --check-prefixes=CHECK,FAT -DCHIP=sm_90a

// One image of all functions; each parameter is a pointer or a number, and
// blocks have the known size. exp comes from libdevice.
// CHECK-LABEL: gpu.binary @kernels
// CHECK-SAME: chip = "[[CHIP]]"
// ISA-SAME: assembly =
// ISA-SAME: .version [[PTX]]
// ISA-SAME: .target [[CHIP]]
// ISA-NOT: .extern
// ISA-SAME: .entry exp(\0A\09.param .u64 {{[^,]*}},\0A\09.param .u64 {{[^,]*}},\0A\09.param .u64 exp_param_2\0A)
// ISA-SAME: .reqntid 64, 2, 1
// ISA-SAME: ex2.approx
// ISA-SAME: .entry tile(
// ISA-SAME: .shared .align 4 .b8 {{[^ ]+}}[1024];
// ISA-SAME: bar.sync
// BIN-SAME: bin = "\7FELF
// FAT-SAME: "P\EDU\BA
gpu.module @kernels {
  gpu.func @exp(%a: memref<64xf32>, %b: memref<64xf32, strided<[2]>>, %n: index)
      kernel attributes {known_block_size = array<i32: 64, 2, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    %y = math.exp %x : f32
    %at = arith.addi %i, %n : index
    memref.store %y, %b[%at] : memref<64xf32, strided<[2]>>
    gpu.return
  }
  gpu.func @tile(%a: memref<16x16xf32>)
      workgroup(%w : memref<16x16xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 16, 16, 1>} {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %x = memref.load %a[%j, %i] : memref<16x16xf32>
    memref.store %x, %w[%j, %i] : memref<16x16xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %w[%i, %j] : memref<16x16xf32, #gpu.address_space<workgroup>>
    memref.store %y, %a[%j, %i] : memref<16x16xf32>
    gpu.return
  }
}

// -----

// What has no counterpart in libdevice, and masks of two words, which LLVM
// cannot select on the newest chips.
// CHECK-LABEL: gpu.binary @legalized
// ISA-SAME: .entry more(
gpu.module @legalized {
  gpu.func @more(%a: memref<64xf32>, %b: memref<64xi1>, %c: memref<64xbf16>,
                 %d: memref<64xvector<2xi32>>, %e: memref<64xvector<2xi1>>,
                 %f: memref<64xindex>) kernel {
    %i = gpu.thread_id x
    %low = arith.constant -1.0 : f32
    %high = arith.constant 1.0 : f32
    %x = memref.load %a[%i] : memref<64xf32>
    %clamped = math.clampf %x to [%low, %high] : f32
    %whole = math.trunc %clamped : f32
    %even = math.roundeven %whole : f32
    memref.store %even, %a[%i] : memref<64xf32>
    %narrow = memref.load %c[%i] : memref<64xbf16>
    %normal = math.isnormal %narrow : bf16
    memref.store %normal, %b[%i] : memref<64xi1>
    %power = math.powf %narrow, %narrow : bf16
    memref.store %power, %c[%i] : memref<64xbf16>
    %words = memref.load %d[%i] : memref<64xvector<2xi32>>
    %mask = arith.trunci %words : vector<2xi32> to vector<2xi1>
    memref.store %mask, %e[%i] : memref<64xvector<2xi1>>
    %ones = math.ctpop %i : index
    %power2 = arith.floordivsi %ones, %i : index
    memref.store %power2, %f[%i] : memref<64xindex>
    gpu.return
  }
}
