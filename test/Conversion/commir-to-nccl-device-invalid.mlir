// RUN: mercury-opt %s --convert-commir-to-nccl=target=device -split-input-file -verify-diagnostics
//
// RUN: not mercury-opt %S/commir-to-nccl-device.mlir --convert-commir-to-nccl=target=cpu 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: target 'cpu' is not one of host, device
//
// Streams are of devices.
// RUN: not mercury-opt %S/commir-to-nccl-device.mlir --convert-commir-to-nccl 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: 'commir.wait_event' op is left at the conversion to calls

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @waits(%a: memref<8xf32>, %b: memref<8xf32>) {
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  // expected-error @+1 {{makes the host wait, which programs for devices do not: run mercury-insert-events before}}
  commir.wait 0
  return
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func private @k(%x: memref<4xf32, strided<[1], offset: 4>>) attributes {commir.kernel} {
  return
}
func.func @offset(%a: memref<4xf32>) {
  // expected-error @+1 {{passes argument 0, which @k takes with an offset: 'memref<4xf32, strided<[1], offset: 4>>'}}
  commir.launch @k outs(%a : memref<4xf32>)
  return
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func private @k(%x: vector<4xf32>) attributes {commir.kernel} {
  return
}
func.func @vector(%a: vector<4xf32>) {
  // expected-error @+1 {{passes argument 0 of type 'vector<4xf32>', which is neither a buffer nor a number}}
  commir.launch @k ins(%a : vector<4xf32>)
  return
}

// -----

module attributes {gpu.container_module} {
commir.topology @ring levels [#commir.level<gpu, 4>]
gpu.module @kernels {
  gpu.func @k(%x: memref<4xf32>) kernel attributes {commir.kernel, known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
func.func @grid(%a: memref<4xf32>) {
  // expected-error @+1 {{launches @kernels::@k, which has no 'known_grid_size'}}
  commir.launch @kernels::@k outs(%a : memref<4xf32>)
  return
}
}
