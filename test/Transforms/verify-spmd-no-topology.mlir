// RUN: mercury-opt %s --mercury-verify-spmd --verify-diagnostics

// expected-error @+1 {{is what a rank runs, but no topology resolves}}
func.func @no_topology(%a: memref<8xf32>) {
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  return
}
