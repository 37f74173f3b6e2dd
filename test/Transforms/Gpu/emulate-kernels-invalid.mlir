// RUN: mercury-opt --mercury-emulate-kernels --split-input-file --verify-diagnostics %s

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op needs known_grid_size and known_block_size}}
  gpu.func @no_grid() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has an argument of type 'memref<?xf32>'; numbers, and buffers of static layout without offset or memory space, are emulated}}
  gpu.func @dynamic(%a: memref<?xf32>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has an argument of type 'memref<4xf32, 1>'}}
  gpu.func @space(%a: memref<4xf32, 1>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op is no kernel, and is not emulated}}
  gpu.func @callee(%x: f32) -> f32 {
    gpu.return %x : f32
  }
}

// -----

gpu.module @kernels {
  gpu.func @width(%x: f32) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c16 = arith.constant 16 : i32
    // expected-error @below {{'gpu.shuffle' op is emulated for a constant width of 32 only}}
    %y, %valid = gpu.shuffle xor %x, %c16, %c16 : f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @type(%x: f16) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c32 = arith.constant 32 : i32
    // expected-error @below {{'gpu.shuffle' op is emulated for f32 and i32, not for 'f16'}}
    %y, %valid = gpu.shuffle xor %x, %c32, %c32 : f16
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @other() kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    // expected-error @below {{'gpu.lane_id' op is not emulated}}
    %lane = gpu.lane_id
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'func.func' op in a gpu.module is not emulated}}
  func.func @device() {
    return
  }
}
