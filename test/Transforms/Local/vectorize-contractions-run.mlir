// Every contraction is computed twice, the second time in a body that is not
// recognised as one. Elements are small integers, so all sums are exact and the
// results must be equal; the number of unequal elements is printed.
//
// DEFINE: %{bufferize} = --canonicalize --cse --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --cse --buffer-deallocation-pipeline
// DEFINE: %{run} = mlir-runner -O1 -e main --entry-point-result=void --shared-libs=%mlir_c_runner_utils
// RUN: mercury-opt %s --mercury-vectorize-contractions="min-flops=0" %{bufferize} --mercury-lower-to-llvm | %{run} | FileCheck %s
// RUN: mercury-opt %s --mercury-vectorize-contractions="min-flops=0 vector-bits=128 block-m=8 block-n=16 block-k=16" %{bufferize} --mercury-lower-to-llvm | %{run} | FileCheck %s
// RUN: mercury-opt %s --mercury-vectorize-contractions="min-flops=0 vector-bits=256" %{bufferize} --mercury-lower-to-llvm | %{run} | FileCheck %s

// A wrong result would be seen: without the pass nothing differs, either, but
// the same bodies with another input do.
// CHECK-COUNT-12: unequal 0
// CHECK-NEXT: unequal {{[1-9]}}

func.func private @printI64(i64)
func.func private @printNewline()
llvm.mlir.global internal constant @unequal("unequal \00")
llvm.func @printString(!llvm.ptr)
func.func @report(%count: i64) {
  %text = llvm.mlir.addressof @unequal : !llvm.ptr
  llvm.call @printString(%text) : (!llvm.ptr) -> ()
  call @printI64(%count) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
// An integer between -4 and 4 from four indices.
func.func @element(%s: index, %x: index, %y: index, %z: index) -> i32 {
  %c7 = arith.constant 7 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %c4 = arith.constant 4 : index
  %0 = arith.muli %x, %c7 : index
  %1 = arith.muli %y, %c5 : index
  %2 = arith.muli %y, %y : index
  %3 = arith.muli %x, %y : index
  %4 = arith.addi %0, %1 : index
  %5 = arith.addi %2, %3 : index
  %6 = arith.addi %4, %5 : index
  %7 = arith.addi %6, %z : index
  %8 = arith.addi %7, %s : index
  %9 = arith.remui %8, %c9 : index
  %10 = arith.subi %9, %c4 : index
  %11 = arith.index_cast %10 : index to i32
  return %11 : i32
}

func.func @mk_kn_mn_m1_n1_k1_f32() {
  %ae = tensor.empty() : tensor<1x1xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<1x1xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<1x1xf32>
  %be = tensor.empty() : tensor<1x1xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<1x1xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<1x1xf32>
  %ce = tensor.empty() : tensor<1x1xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<1x1xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<1x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x1xf32>, tensor<1x1xf32>) outs(%c : tensor<1x1xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<1x1xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x1xf32>, tensor<1x1xf32>) outs(%c : tensor<1x1xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<1x1xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<1x1xf32>, tensor<1x1xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @mk_kn_mn_m3_n7_k9_f32() {
  %ae = tensor.empty() : tensor<3x9xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<3x9xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<3x9xf32>
  %be = tensor.empty() : tensor<9x7xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<9x7xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<9x7xf32>
  %ce = tensor.empty() : tensor<3x7xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<3x7xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<3x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x9xf32>, tensor<9x7xf32>) outs(%c : tensor<3x7xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x7xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x9xf32>, tensor<9x7xf32>) outs(%c : tensor<3x7xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<3x7xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<3x7xf32>, tensor<3x7xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @mk_kn_mn_m9_n513_k7_f32() {
  %ae = tensor.empty() : tensor<9x7xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<9x7xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<9x7xf32>
  %be = tensor.empty() : tensor<7x513xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<7x513xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<7x513xf32>
  %ce = tensor.empty() : tensor<9x513xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<9x513xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<9x513xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<9x7xf32>, tensor<7x513xf32>) outs(%c : tensor<9x513xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<9x513xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<9x7xf32>, tensor<7x513xf32>) outs(%c : tensor<9x513xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<9x513xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<9x513xf32>, tensor<9x513xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @mk_kn_mn_m513_n9_k3_f32() {
  %ae = tensor.empty() : tensor<513x3xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<513x3xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<513x3xf32>
  %be = tensor.empty() : tensor<3x9xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<3x9xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<3x9xf32>
  %ce = tensor.empty() : tensor<513x9xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<513x9xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<513x9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<513x3xf32>, tensor<3x9xf32>) outs(%c : tensor<513x9xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<513x9xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<513x3xf32>, tensor<3x9xf32>) outs(%c : tensor<513x9xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<513x9xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<513x9xf32>, tensor<513x9xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @mk_kn_mn_m13_n33_k513_f32() {
  %ae = tensor.empty() : tensor<13x513xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<13x513xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<13x513xf32>
  %be = tensor.empty() : tensor<513x33xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<513x33xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<513x33xf32>
  %ce = tensor.empty() : tensor<13x33xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<13x33xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<13x33xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<13x513xf32>, tensor<513x33xf32>) outs(%c : tensor<13x33xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<13x33xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<13x513xf32>, tensor<513x33xf32>) outs(%c : tensor<13x33xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<13x33xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<13x33xf32>, tensor<13x33xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @mk_nk_mn_m15_n37_k19_f32() {
  %ae = tensor.empty() : tensor<15x19xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<15x19xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<15x19xf32>
  %be = tensor.empty() : tensor<37x19xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<37x19xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<37x19xf32>
  %ce = tensor.empty() : tensor<15x37xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<15x37xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<15x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<15x19xf32>, tensor<37x19xf32>) outs(%c : tensor<15x37xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<15x37xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<15x19xf32>, tensor<37x19xf32>) outs(%c : tensor<15x37xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<15x37xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<15x37xf32>, tensor<15x37xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @km_kn_mn_m25_n160_k33_f16() {
  %ae = tensor.empty() : tensor<33x25xf16>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<33x25xf16>) {
  ^bb0(%o: f16):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f16
    linalg.yield %f : f16
  } -> tensor<33x25xf16>
  %be = tensor.empty() : tensor<33x160xf16>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<33x160xf16>) {
  ^bb0(%o: f16):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f16
    linalg.yield %f : f16
  } -> tensor<33x160xf16>
  %ce = tensor.empty() : tensor<25x160xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<25x160xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<25x160xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<33x25xf16>, tensor<33x160xf16>) outs(%c : tensor<25x160xf32>) {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<25x160xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<33x25xf16>, tensor<33x160xf16>) outs(%c : tensor<25x160xf32>) {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<25x160xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<25x160xf32>, tensor<25x160xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @km_nk_mn_m29_n165_k40_f64() {
  %ae = tensor.empty() : tensor<40x29xf64>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<40x29xf64>) {
  ^bb0(%o: f64):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f64
    linalg.yield %f : f64
  } -> tensor<40x29xf64>
  %be = tensor.empty() : tensor<165x40xf64>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<165x40xf64>) {
  ^bb0(%o: f64):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f64
    linalg.yield %f : f64
  } -> tensor<165x40xf64>
  %ce = tensor.empty() : tensor<29x165xf64>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<29x165xf64>) {
  ^bb0(%o: f64):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f64
    linalg.yield %f : f64
  } -> tensor<29x165xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x29xf64>, tensor<165x40xf64>) outs(%c : tensor<29x165xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %m = arith.mulf %p, %q : f64
    %t = arith.addf %o, %m : f64
    linalg.yield %t : f64
  } -> tensor<29x165xf64>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x29xf64>, tensor<165x40xf64>) outs(%c : tensor<29x165xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %m = arith.mulf %p, %q : f64
    %g = arith.negf %m : f64
    %t = arith.subf %o, %g : f64
    linalg.yield %t : f64
  } -> tensor<29x165xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<29x165xf64>, tensor<29x165xf64>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f64, %q: f64, %o: i64):
    %d = arith.cmpf une, %p, %q : f64
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @mk_kn_nm_m35_n14_k17_f32() {
  %ae = tensor.empty() : tensor<35x17xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<35x17xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<35x17xf32>
  %be = tensor.empty() : tensor<17x14xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<17x14xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<17x14xf32>
  %ce = tensor.empty() : tensor<14x35xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<14x35xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<14x35xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, m, k) -> (m, k)>, affine_map<(n, m, k) -> (k, n)>, affine_map<(n, m, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<35x17xf32>, tensor<17x14xf32>) outs(%c : tensor<14x35xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<14x35xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(n, m, k) -> (m, k)>, affine_map<(n, m, k) -> (k, n)>, affine_map<(n, m, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<35x17xf32>, tensor<17x14xf32>) outs(%c : tensor<14x35xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<14x35xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<14x35xf32>, tensor<14x35xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @bmk_bkn_bmn_b3_m13_n17_k9_bf16() {
  %ae = tensor.empty() : tensor<3x13x9xbf16>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ae : tensor<3x13x9xbf16>) {
  ^bb0(%o: bf16):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %n = func.call @element(%s, %i0, %i1, %i2) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to bf16
    linalg.yield %f : bf16
  } -> tensor<3x13x9xbf16>
  %be = tensor.empty() : tensor<3x9x17xbf16>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%be : tensor<3x9x17xbf16>) {
  ^bb0(%o: bf16):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %n = func.call @element(%s, %i0, %i1, %i2) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to bf16
    linalg.yield %f : bf16
  } -> tensor<3x9x17xbf16>
  %ce = tensor.empty() : tensor<3x13x17xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ce : tensor<3x13x17xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %n = func.call @element(%s, %i0, %i1, %i2) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<3x13x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x13x9xbf16>, tensor<3x9x17xbf16>) outs(%c : tensor<3x13x17xf32>) {
  ^bb0(%p: bf16, %q: bf16, %o: f32):
    %pw = arith.extf %p : bf16 to f32
    %qw = arith.extf %q : bf16 to f32
    %m = arith.mulf %pw, %qw : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x13x17xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x13x9xbf16>, tensor<3x9x17xbf16>) outs(%c : tensor<3x13x17xf32>) {
  ^bb0(%p: bf16, %q: bf16, %o: f32):
    %pw = arith.extf %p : bf16 to f32
    %qw = arith.extf %q : bf16 to f32
    %m = arith.mulf %pw, %qw : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<3x13x17xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%r, %u : tensor<3x13x17xf32>, tensor<3x13x17xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @mk_k_m_m41_k21_f16() {
  %ae = tensor.empty() : tensor<41x21xf16>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<41x21xf16>) {
  ^bb0(%o: f16):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f16
    linalg.yield %f : f16
  } -> tensor<41x21xf16>
  %be = tensor.empty() : tensor<21xf16>
  %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%be : tensor<21xf16>) {
  ^bb0(%o: f16):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %n = func.call @element(%s, %i0, %s, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f16
    linalg.yield %f : f16
  } -> tensor<21xf16>
  %ce = tensor.empty() : tensor<41xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%ce : tensor<41xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %n = func.call @element(%s, %i0, %s, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<41xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<41x21xf16>, tensor<21xf16>) outs(%c : tensor<41xf32>) {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<41xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<41x21xf16>, tensor<21xf16>) outs(%c : tensor<41xf32>) {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<41xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%r, %u : tensor<41xf32>, tensor<41xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @mkl_kln_mn_m13_n18_k5_l7_f64() {
  %ae = tensor.empty() : tensor<13x5x7xf64>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ae : tensor<13x5x7xf64>) {
  ^bb0(%o: f64):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %n = func.call @element(%s, %i0, %i1, %i2) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f64
    linalg.yield %f : f64
  } -> tensor<13x5x7xf64>
  %be = tensor.empty() : tensor<5x7x18xf64>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%be : tensor<5x7x18xf64>) {
  ^bb0(%o: f64):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %n = func.call @element(%s, %i0, %i1, %i2) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f64
    linalg.yield %f : f64
  } -> tensor<5x7x18xf64>
  %ce = tensor.empty() : tensor<13x18xf64>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<13x18xf64>) {
  ^bb0(%o: f64):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f64
    linalg.yield %f : f64
  } -> tensor<13x18xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<13x5x7xf64>, tensor<5x7x18xf64>) outs(%c : tensor<13x18xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %m = arith.mulf %p, %q : f64
    %t = arith.addf %o, %m : f64
    linalg.yield %t : f64
  } -> tensor<13x18xf64>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<13x5x7xf64>, tensor<5x7x18xf64>) outs(%c : tensor<13x18xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %m = arith.mulf %p, %q : f64
    %g = arith.negf %m : f64
    %t = arith.subf %o, %g : f64
    linalg.yield %t : f64
  } -> tensor<13x18xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<13x18xf64>, tensor<13x18xf64>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f64, %q: f64, %o: i64):
    %d = arith.cmpf une, %p, %q : f64
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @mk_kn_mn_m3_n4_k5_f32_differs() {
  %ae = tensor.empty() : tensor<3x5xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ae : tensor<3x5xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 1 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<3x5xf32>
  %be = tensor.empty() : tensor<5x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%be : tensor<5x4xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<5x4xf32>
  %ce = tensor.empty() : tensor<3x4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ce : tensor<3x4xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 3 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<3x4xf32>
  %we = tensor.empty() : tensor<3x5xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%we : tensor<3x5xf32>) {
  ^bb0(%o: f32):
    %s = arith.constant 2 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %n = func.call @element(%s, %i0, %i1, %s) : (index, index, index, index) -> i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<3x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x5xf32>, tensor<5x4xf32>) outs(%c : tensor<3x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x4xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %b : tensor<3x5xf32>, tensor<5x4xf32>) outs(%c : tensor<3x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %g = arith.negf %m : f32
    %t = arith.subf %o, %g : f32
    linalg.yield %t : f32
  } -> tensor<3x4xf32>
  %zero = arith.constant dense<0> : tensor<i64>
  %count = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%r, %u : tensor<3x4xf32>, tensor<3x4xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%p: f32, %q: f32, %o: i64):
    %d = arith.cmpf une, %p, %q : f32
    %e = arith.extui %d : i1 to i64
    %t = arith.addi %o, %e : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %total = tensor.extract %count[] : tensor<i64>
  call @report(%total) : (i64) -> ()
  return
}

func.func @main() {
  call @mk_kn_mn_m1_n1_k1_f32() : () -> ()
  call @mk_kn_mn_m3_n7_k9_f32() : () -> ()
  call @mk_kn_mn_m9_n513_k7_f32() : () -> ()
  call @mk_kn_mn_m513_n9_k3_f32() : () -> ()
  call @mk_kn_mn_m13_n33_k513_f32() : () -> ()
  call @mk_nk_mn_m15_n37_k19_f32() : () -> ()
  call @km_kn_mn_m25_n160_k33_f16() : () -> ()
  call @km_nk_mn_m29_n165_k40_f64() : () -> ()
  call @mk_kn_nm_m35_n14_k17_f32() : () -> ()
  call @bmk_bkn_bmn_b3_m13_n17_k9_bf16() : () -> ()
  call @mk_k_m_m41_k21_f16() : () -> ()
  call @mkl_kln_mn_m13_n18_k5_l7_f64() : () -> ()
  call @mk_kn_mn_m3_n4_k5_f32_differs() : () -> ()
  return
}
