// The help explains with examples and says what the exit codes mean.
// RUN: mercury-run --help | FileCheck %s

// CHECK: OVERVIEW: Runs a tensor program on many ranks
// CHECK: EXAMPLES:
// CHECK: mercury-run --verify examples/gemm.mlir
// CHECK: EXIT CODES: 0 verified (ran, without --verify), 1 wrong result, 2 bad input,
// CHECK-NEXT: 3 runtime failure
// CHECK: USAGE: mercury-run [options] <input file>
// CHECK: --schedule=<name|file>
// CHECK: --topology=<levels|machine|FILE.mlir|@symbol>
// The options of LLVM's libraries are not those of the tool.
// CHECK-NOT: debug-pass
// CHECK: --watchdog=<seconds>

// RUN: mercury-run --list-schedules | FileCheck %s --check-prefix=LIST
// LIST: default
// LIST-NEXT: {{^    .}}
// LIST: all_gather_gemm
