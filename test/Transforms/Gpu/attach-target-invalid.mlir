// What would end the process in LLVM, or fail at the launch.
// RUN: mercury-opt %s --mercury-attach-target=chip=sm_80 -split-input-file -verify-diagnostics

gpu.module @wide_integer {
  gpu.func @k(%a: memref<64xi128>, %i: index) kernel {
    // expected-error @+1 {{'memref.load' op has type 'i128', which chip 'sm_80' does not compute with}}
    %x = memref.load %a[%i] : memref<64xi128>
    gpu.return
  }
}

// -----

gpu.module @narrow_float {
  gpu.func @k(%a: memref<64xf8E4M3FN>, %i: index) kernel {
    // expected-error @+1 {{'memref.load' op has type 'f8E4M3FN', which chip 'sm_80' does not compute with}}
    %x = memref.load %a[%i] : memref<64xf8E4M3FN>
    gpu.return
  }
}

// -----

gpu.module @scalable {
  gpu.func @k(%a: memref<64xf32>, %i: index) kernel {
    // expected-error @+1 {{'vector.load' op has type 'vector<[4]xf32>', which chip 'sm_80' does not compute with}}
    %x = vector.load %a[%i] : memref<64xf32>, vector<[4]xf32>
    gpu.return
  }
}

// -----

gpu.module @heap {
  gpu.func @k() kernel {
    // expected-error @+1 {{'memref.alloc' op has no device code for chip 'sm_80'}}
    %x = memref.alloc() : memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @library_of_powers {
  gpu.func @k(%x: i32, %a: memref<1xi32>, %i: index) kernel {
    // expected-error @+1 {{'math.ipowi' op has no device code for chip 'sm_80'}}
    %y = math.ipowi %x, %x : i32
    gpu.return
  }
}

// -----

gpu.module @dynamic_shared_memory {
  // expected-error @+1 {{shared memory of dynamic shape 'memref<?xf32, #gpu.address_space<workgroup>>'}}
  gpu.func @k() workgroup(%a: memref<?xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @vectors_in_shared_memory {
  // expected-error @+1 {{has 65536 bytes of shared memory, a block has 49152}}
  gpu.func @k() workgroup(%a: memref<4096xvector<4xf32>, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @flat_blocks {
  // expected-error @+1 {{has blocks of 128 threads in z, expected 1 to 64}}
  gpu.func @k() kernel attributes {known_block_size = array<i32: 1, 1, 128>} {
    gpu.return
  }
}

// -----

gpu.module @dynamic_argument {
  // expected-error @+1 {{argument 1 has type 'memref<?xf32>', expected a number, or a memref of static shape and strides without offset}}
  gpu.func @k(%n: index, %a: memref<?xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @offset {
  // expected-error @+1 {{argument 0 has type 'memref<4xf32, strided<[1], offset: 4>>', expected a number, or}}
  gpu.func @k(%a: memref<4xf32, strided<[1], offset: 4>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @shared_memory {
  // expected-error @+1 {{has 49156 bytes of shared memory, a block has 49152}}
  gpu.func @k() workgroup(%v : memref<1xf32, #gpu.address_space<workgroup>>,
                          %w : memref<12288xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @block {
  // expected-error @+1 {{has blocks of 1088 threads, expected 1 to 1024}}
  gpu.func @k() kernel attributes {known_block_size = array<i32: 64, 17, 1>} {
    gpu.return
  }
}

// -----

gpu.module @grid {
  // expected-error @+1 {{has a grid of 65536 blocks in z, expected 1 to 65535}}
  gpu.func @k() kernel attributes {known_grid_size = array<i32: 65536, 1, 65536>} {
    gpu.return
  }
}
