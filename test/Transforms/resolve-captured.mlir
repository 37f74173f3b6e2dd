// What the body of an operator reads by indices of its own is held whole.
// RUN: mercury-run %s --entry=picked --verify --strict --schedule=default | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=picked --verify --strict --schedule=replicated | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=picked_on_ranks --verify --strict | FileCheck %s --check-prefix=EXEC
// RUN: mercury-opt %s "--mercury-distribute-pipeline=schedule=default" | FileCheck %s

// RUN: mercury-run %s --entry=checked --verify --strict | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=checked --verify --strict --target=emulated | FileCheck %s --check-prefix=EXEC

// EXEC: verified

commir.topology @t levels [#commir.level<gpu, 4>]

// Indices are random numbers in tests, so rows are picked by the loop.
// CHECK-LABEL: func.func @picked(
// CHECK: commir.all_gather {{.*}} : tensor<3x8xf32>
// CHECK: tensor.extract
func.func @picked(%x: tensor<12x8xf32>, %w: tensor<8x8xf32>, %at: tensor<1x12xf32>) -> tensor<12x8xf32> {
  %z = arith.constant dense<0.0> : tensor<12x8xf32>
  %e = tensor.empty() : tensor<12x8xf32>
  %table = linalg.exp ins(%x : tensor<12x8xf32>) outs(%e : tensor<12x8xf32>) -> tensor<12x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n) -> (0, m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<1x12xf32>) outs(%e : tensor<12x8xf32>) {
  ^bb0(%i: f32, %out: f32):
    %c11 = arith.constant 11 : index
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %r = arith.subi %c11, %m : index
    %0 = tensor.extract %table[%r, %n] : tensor<12x8xf32>
    %1 = arith.addf %0, %i : f32
    linalg.yield %1 : f32
  } -> tensor<12x8xf32>
  %y = linalg.matmul ins(%p, %w : tensor<12x8xf32>, tensor<8x8xf32>) outs(%z : tensor<12x8xf32>) -> tensor<12x8xf32>
  return %y : tensor<12x8xf32>
}

func.func @picked_on_ranks(%x: tensor<12x8xf32>, %at: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %e = tensor.empty() : tensor<12x8xf32>
  %table = linalg.exp {commir.schedule = #commir.schedule<"loops [rank gpu, -] inputs [[{gpu}, {}]] results [[{gpu}, {}]]">}
      ins(%x : tensor<12x8xf32>) outs(%e : tensor<12x8xf32>) -> tensor<12x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<12x8xf32>) outs(%e : tensor<12x8xf32>)
      attrs = {commir.schedule = #commir.schedule<"loops [-, rank gpu] inputs [[{}, {gpu}]] results [[{}, {gpu}]]">} {
  ^bb0(%i: f32, %out: f32):
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %0 = tensor.extract %table[%c5, %c3] : tensor<12x8xf32>
    %1 = arith.addf %0, %i : f32
    linalg.yield %1 : f32
  } -> tensor<12x8xf32>
  return %p : tensor<12x8xf32>
}

// So is what an op reads that makes nothing: lengths of 1 to 4, each on a rank.
// CHECK-LABEL: func.func @checked(
// CHECK: %[[ALL:.*]] = commir.all_gather {{.*}} : tensor<1xi32>
// CHECK: commir.check_documents lengths(%{{.*}} : tensor<4xi32>) keys 10
func.func @checked(%x: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %lengths = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>)
      attrs = {commir.schedule = #commir.schedule<"loops [rank gpu] inputs [[{gpu}]] results [[{gpu}]]">} {
  ^bb0(%a: i32, %out: i32):
    %c1 = arith.constant 1 : i32
    %m = linalg.index 0 : index
    %0 = arith.index_cast %m : index to i32
    %1 = arith.addi %0, %c1 : i32
    %2 = arith.subi %a, %a : i32
    %3 = arith.addi %1, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<4xi32>
  commir.check_documents lengths(%lengths : tensor<4xi32>) keys 10
  return %lengths : tensor<4xi32>
}
