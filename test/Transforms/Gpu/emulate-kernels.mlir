// RUN: mercury-opt --mercury-emulate-kernels --split-input-file %s | FileCheck %s
// RUN: mercury-opt --mercury-emulate-kernels=checks=false --split-input-file %s | FileCheck %s --check-prefix=BARE
// RUN: mercury-opt --mercury-emulate-kernels --mercury-lower-to-llvm --split-input-file %s | FileCheck %s --check-prefix=LLVM

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%n: index, %a: memref<4x32xf32, strided<[40, 1]>>)
        workgroup(%w: memref<32xf32, #gpu.address_space<workgroup>>,
                  %v: memref<3xf16, #gpu.address_space<workgroup>>)
        kernel attributes {commir.kernel,
                           known_block_size = array<i32: 32, 1, 1>,
                           known_grid_size = array<i32: 4, 1, 1>} {
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %x = memref.load %a[%b, %t] : memref<4x32xf32, strided<[40, 1]>>
      memref.store %x, %w[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %size = gpu.block_dim x
      %one = arith.constant 1 : index
      %width = arith.constant 32 : i32
      %last = arith.subi %size, %one : index
      %at = arith.subi %last, %t : index
      %y = memref.load %w[%at] : memref<32xf32, #gpu.address_space<workgroup>>
      %offset = arith.constant 16 : i32
      %z, %valid = gpu.shuffle xor %y, %offset, %width : f32
      memref.store %z, %a[%b, %t] {alignment = 4} : memref<4x32xf32, strided<[40, 1]>>
      gpu.return
    }
  }
  func.func @f(%a: memref<4x32xf32, strided<[40, 1]>>, %n: index) {
    commir.launch @kernels::@k ins(%n : index)
                              outs(%a : memref<4x32xf32, strided<[40, 1]>>)
    return
  }
}
