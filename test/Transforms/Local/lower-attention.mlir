// RUN: mercury-opt %s --mercury-lower-attention | FileCheck %s
// RUN: mercury-opt %s --mercury-lower-to-llvm | FileCheck %s --check-prefix=LLVM

// LLVM-NOT: commir
// LLVM: llvm.func @without_options

// The dot product of a score, the row's maximum, the factor, and again the
// scores, for the exponentials.
// CHECK-LABEL: func @without_options
// CHECK-SAME: %[[Q:.*]]: memref<2x3x4xf32>, %[[K:.*]]: memref<2x5x4xf32>, %[[V:.*]]: memref<2x5x6xf32>, %[[A:.*]]: memref<2x3x6xf32>, %[[M:.*]]: memref<2x3xf32>, %[[L:.*]]: memref<2x3xf32>
// CHECK: scf.for %[[H:.*]] = %{{.*}} to %[[C2:.*]] step
// CHECK: scf.for %[[R:.*]] = %{{.*}} to %[[C3:.*]] step
// CHECK: %[[BEFORE:.*]] = memref.load %[[M]][%[[H]], %[[R]]]
// CHECK: %[[TOP:.*]] = scf.for %[[N:.*]] = %{{.*}} to %[[C5:.*]] step %{{.*}} iter_args(%[[T:.*]] = %[[BEFORE]])
// CHECK: %[[S:.*]] = scf.for %[[D:.*]] = {{.*}} iter_args
// CHECK: memref.load %[[Q]][%[[H]], %[[R]], %[[D]]]
// CHECK: memref.load %[[K]][%[[H]], %[[N]], %[[D]]]
// CHECK-NOT: memref.load
// CHECK: arith.maximumf %[[T]], %[[S]]
// CHECK: memref.store %[[TOP]], %[[M]][%[[H]], %[[R]]]
// CHECK: %[[SAME:.*]] = arith.cmpf oeq, %[[BEFORE]], %[[TOP]]
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[BEFORE]], %[[TOP]]
// CHECK: %[[EXP:.*]] = math.exp %[[DIFFERENCE]]
// CHECK: %[[FACTOR:.*]] = arith.select %[[SAME]], %{{.*}}, %[[EXP]]
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[TOP]], %[[INF:.*]] : f32
// CHECK: %[[PIVOT:.*]] = arith.select %[[NONE]], %[[ZERO:.*]], %[[TOP]]
// CHECK: scf.for
// CHECK: %[[SHIFTED:.*]] = arith.subf %{{.*}}, %[[PIVOT]]
// CHECK: math.exp %[[SHIFTED]]
// CHECK: memref.load %[[V]]
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: memref.store %{{.*}}, %[[L]][%[[H]], %[[R]]]
func.func @without_options(%q: memref<2x3x4xf32>, %k: memref<2x5x4xf32>, %v: memref<2x5x6xf32>,
                           %a: memref<2x3x6xf32>, %m: memref<2x3xf32>, %l: memref<2x3xf32>) {
  commir.online_attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>,
      affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>]
    ins(%q, %k, %v : memref<2x3x4xf32>, memref<2x5x4xf32>, memref<2x5x6xf32>)
    outs(%a, %m, %l : memref<2x3x6xf32>, memref<2x3xf32>, memref<2x3xf32>)
  return
}

// Scale, mask and number of keys; extents that are not known; narrow inputs.
// CHECK-LABEL: func @with_options
// CHECK-SAME: %[[Q:.*]]: memref<?x4xbf16>, %{{.*}}: memref<4x?xbf16>, %{{.*}}: memref<?x6xbf16>, %[[MASK:.*]]: memref<?xf16>, %[[VALID:.*]]: index
// CHECK: %[[ROWS:.*]] = memref.dim %[[Q]]
// CHECK: %[[NONNEGATIVE:.*]] = arith.maxsi %[[VALID]], %{{.*}} : index
// CHECK: %[[KEYS:.*]] = arith.minsi %{{.*}}, %[[NONNEGATIVE]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[ROWS]]
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %[[KEYS]]
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.mulf %{{.*}}, %[[SCALE:.*]] : f32
// CHECK: memref.load %[[MASK]][%[[N]]]
// CHECK: arith.extf %{{.*}} : f16 to f32
func.func @with_options(%q: memref<?x4xbf16>, %k: memref<4x?xbf16>, %v: memref<?x6xbf16>, %mask: memref<?xf16>,
                        %valid: index, %a: memref<?x6xf32>, %m: memref<?xf32>, %l: memref<?xf32>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (d, n)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (n)>,
      affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>,
      affine_map<(m, n, d, e) -> (m)>] scale 0.5
    ins(%q, %k, %v : memref<?x4xbf16>, memref<4x?xbf16>, memref<?x6xbf16>)
    mask(%mask : memref<?xf16>) valid(%valid)
    outs(%a, %m, %l : memref<?x6xf32>, memref<?xf32>, memref<?xf32>)
  return
}

// CHECK-LABEL: func @state_in_f64
// CHECK: math.exp %{{.*}} : f64
func.func @state_in_f64(%q: memref<3x4xf64>, %k: memref<5x4xf64>, %v: memref<5x6xf64>,
                        %a: memref<3x6xf64>, %m: memref<3xf64>, %l: memref<3xf64>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %k, %v : memref<3x4xf64>, memref<5x4xf64>, memref<5x6xf64>)
    outs(%a, %m, %l : memref<3x6xf64>, memref<3xf64>, memref<3xf64>)
  return
}

// A range of keys for each row bounds both loops over them.
// CHECK-LABEL: func @with_ranges
// CHECK-SAME: %[[BEGIN:[^:]*]]: memref<3xi32>, %[[END:[^:]*]]: memref<3xi32>
// CHECK: scf.for %[[R:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[B:.*]] = memref.load %[[BEGIN]][%[[R]]]
// CHECK: %[[FROM:.*]] = arith.index_cast %[[B]]
// CHECK: %[[FIRST:.*]] = arith.maxsi %[[FROM]], %{{.*}} : index
// CHECK: %[[E:.*]] = memref.load %[[END]][%[[R]]]
// CHECK: %[[TO:.*]] = arith.index_cast %[[E]]
// CHECK: %[[LAST:.*]] = arith.minsi %[[TO]], %{{.*}} : index
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] {{.*}} iter_args
// CHECK: arith.maximumf
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] {{.*}} iter_args
// CHECK: math.exp
func.func @with_ranges(%q: memref<3x4xf32>, %k: memref<5x4xf32>, %begin: memref<3xi32>, %end: memref<3xi32>,
                       %a: memref<3x4xf32>, %m: memref<3xf32>, %l: memref<3xf32>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %k, %k : memref<3x4xf32>, memref<5x4xf32>, memref<5x4xf32>)
    key_range(%begin, %end : memref<3xi32>, memref<3xi32>)
    outs(%a, %m, %l : memref<3x4xf32>, memref<3xf32>, memref<3xf32>)
  return
}
