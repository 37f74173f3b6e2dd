// RUN: mercury-opt %s --mercury-attach-target | FileCheck %s --check-prefix=DEFAULT
// RUN: mercury-opt %s --mercury-attach-target=chip=sm_100 | FileCheck %s --check-prefix=NEW
// RUN: mercury-opt %s '--mercury-attach-target=chip=sm_80 features=+ptx70' | FileCheck %s --check-prefix=OLD
// RUN: not mercury-opt %s --mercury-attach-target=chip=sm_75 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not mercury-opt %s '--mercury-attach-target=chip=sm_100 features=+ptx80' 2>&1 | FileCheck %s --check-prefix=LOW
// RUN: not mercury-opt %s '--mercury-attach-target=chip=sm_89 features=+ptx91' 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not mercury-opt %s --mercury-attach-target=features=ptx80 2>&1 | FileCheck %s --check-prefix=WORD

// DEFAULT: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">]
// NEW: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_100", features = "+ptx86">]
// OLD: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx70">]
// CHIP: error: chip 'sm_75' is not one of sm_80, sm_89, sm_90a, sm_100
// LOW: error: features '+ptx80' do not suit chip 'sm_100', which takes +ptx86 to +ptx90
// HIGH: error: features '+ptx91' do not suit chip 'sm_89', which takes +ptx78 to +ptx90
// WORD: error: features 'ptx80' are not a version of PTX, as +ptx80
gpu.module @kernels {
  gpu.func @k(%a: memref<64xbf16>, %n: index)
      workgroup(%w : memref<12288xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 1024, 1, 1>,
                         known_grid_size = array<i32: 2147483647, 65535, 1>} {
    gpu.return
  }
}
