// Functions that cannot be run: exit code 2.

// RUN: sh -c 'mercury-run --entry=recursion --topology=gpu=2 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=RECURSION
// RECURSION: [[# @LINE + 5]]:8: error: calls @recursion with tensors, of which no buffers are made; inline the call first
// RECURSION: mercury-run: error: cannot lower @recursion for CPU ranks
// RECURSION: exit 2
func.func @recursion(%a: tensor<8xf32>) -> tensor<8xf32> {
  // Nothing ends it, but it is valid.
  %0 = call @recursion(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// RUN: sh -c 'mercury-run --entry=no_results --verify --topology=gpu=2 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=RESULTS
// RESULTS: mercury-run: error: --verify: @no_results has no results
// RESULTS: exit 2
func.func @no_results(%a: tensor<8xf32>) {
  return
}

// RUN: sh -c 'mercury-run --entry=no_results %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=TOPOLOGY
// TOPOLOGY: error: no topology resolves: the module has none, or several and 'commir.topology' names none of them
// TOPOLOGY: mercury-run: error: cannot distribute @no_results
// TOPOLOGY: exit 2

// RUN: sh -c 'echo "module {}" | mercury-run --topology=gpu=2 - 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=EMPTY
// EMPTY: mercury-run: error: the module has no func.func with a body
// EMPTY: exit 2
