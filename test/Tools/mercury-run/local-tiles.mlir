// A schedule's blocks are those that generated code computes in: another
// program, the same result.
// RUN: mercury-run %s --entry=gemm --topology=gpu=2 "--schedule=loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]" --emit=llvm > %t.gemm
// RUN: mercury-run %s --entry=gemm --topology=gpu=2 "--schedule=loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]] tile [24, 32, 64]" --emit=llvm > %t.gemm-tile
// RUN: not diff -q %t.gemm %t.gemm-tile | FileCheck %s --check-prefix=DIFFER
// DIFFER: differ
// RUN: mercury-run %s --entry=gemm --topology=gpu=2 "--schedule=loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]] tile [24, 32, 64]" --verify | FileCheck %s
// RUN: mercury-run %s --entry=gemm --topology=gpu=2 "--schedule=loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]] tile [0, 64, 0]" --verify | FileCheck %s

// Attention in a ring.
// RUN: mercury-run %s --entry=attention --topology=gpu=2 "--schedule=loops [-, rank gpu, time gpu shift gpu] inputs [[{}, {gpu}, {}], [{}, {gpu}, {}], [{}, {gpu}, {}]] results [[{}, {gpu}, {}], [{}, {gpu}], [{}, {gpu}]]" --emit=llvm > %t.ring
// RUN: mercury-run %s --entry=attention --topology=gpu=2 "--schedule=loops [-, rank gpu, time gpu shift gpu] inputs [[{}, {gpu}, {}], [{}, {gpu}, {}], [{}, {gpu}, {}]] results [[{}, {gpu}, {}], [{}, {gpu}], [{}, {gpu}]] tile [0, 48, 64]" --emit=llvm > %t.ring-tile
// RUN: not diff -q %t.ring %t.ring-tile | FileCheck %s --check-prefix=DIFFER
// RUN: mercury-run %s --entry=attention --topology=gpu=2 "--schedule=loops [-, rank gpu, time gpu shift gpu] inputs [[{}, {gpu}, {}], [{}, {gpu}, {}], [{}, {gpu}, {}]] results [[{}, {gpu}, {}], [{}, {gpu}], [{}, {gpu}]] tile [0, 48, 64]" --verify | FileCheck %s
// RUN: mercury-run %s --entry=attention --topology=gpu=2 "--schedule=loops [-, rank gpu, time gpu shift gpu] inputs [[{}, {gpu}, {}], [{}, {gpu}, {}], [{}, {gpu}, {}]] results [[{}, {gpu}, {}], [{}, {gpu}], [{}, {gpu}]] tile [1, 7, 50]" --verify | FileCheck %s

// CHECK: gpu=2{{.*}} verified

func.func @gemm(%a: tensor<192x256xf32>, %b: tensor<256x128xf32>, %c: tensor<192x128xf32>) -> tensor<192x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<192x256xf32>, tensor<256x128xf32>) outs(%c : tensor<192x128xf32>) -> tensor<192x128xf32>
  return %0 : tensor<192x128xf32>
}

!tokens = tensor<2x384x32xf32>
func.func @attention(%q: !tokens, %k: !tokens, %v: !tokens) -> !tokens {
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [
         affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
         affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>] scale 0.25
         ins(%q, %k, %v : !tokens, !tokens, !tokens)
         outs(%init : !tokens) -> !tokens
  return %o : !tokens
}
