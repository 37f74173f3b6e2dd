// RUN: mercury-opt %s --mercury-verify-communication --verify-diagnostics

// expected-error @+1 {{communicates, but no topology resolves}}
func.func @no_topology(%a: memref<8xf32>) {
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  return
}
