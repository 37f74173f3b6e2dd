// Every element type, on more ranks than some extents have.
// RUN: mercury-run --verify --topology=gpu=4 --entry=f64 %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=4 --entry=f16 %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=4 --entry=bf16 %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=4 --entry=i64 %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=4 --entry=i32 %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=4 --entry=i8 %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=4 --entry=i1 %s | FileCheck %s
// CHECK: {{ verified$}}

func.func @f64(%a: tensor<3x9xf64>, %b: tensor<9x7xf64>, %c: tensor<3x7xf64>)
    -> tensor<3x7xf64> {
  %r = linalg.matmul ins(%a, %b : tensor<3x9xf64>, tensor<9x7xf64>)
                     outs(%c : tensor<3x7xf64>) -> tensor<3x7xf64>
  return %r : tensor<3x7xf64>
}

func.func @f16(%a: tensor<3x9xf16>, %b: tensor<9x7xf16>, %c: tensor<3x7xf16>)
    -> tensor<3x7xf16> {
  %r = linalg.matmul ins(%a, %b : tensor<3x9xf16>, tensor<9x7xf16>)
                     outs(%c : tensor<3x7xf16>) -> tensor<3x7xf16>
  return %r : tensor<3x7xf16>
}

func.func @bf16(%a: tensor<3x9xbf16>, %b: tensor<9x7xbf16>, %c: tensor<3x7xbf16>)
    -> tensor<3x7xbf16> {
  %r = linalg.matmul ins(%a, %b : tensor<3x9xbf16>, tensor<9x7xbf16>)
                     outs(%c : tensor<3x7xbf16>) -> tensor<3x7xbf16>
  return %r : tensor<3x7xbf16>
}

func.func @i64(%a: tensor<3x9xi64>, %b: tensor<9x7xi64>, %c: tensor<3x7xi64>)
    -> tensor<3x7xi64> {
  %r = linalg.matmul ins(%a, %b : tensor<3x9xi64>, tensor<9x7xi64>)
                     outs(%c : tensor<3x7xi64>) -> tensor<3x7xi64>
  return %r : tensor<3x7xi64>
}

func.func @i32(%a: tensor<3x9xi32>, %b: tensor<9x7xi32>, %c: tensor<3x7xi32>)
    -> tensor<3x7xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<3x9xi32>, tensor<9x7xi32>)
                     outs(%c : tensor<3x7xi32>) -> tensor<3x7xi32>
  return %r : tensor<3x7xi32>
}

func.func @i8(%a: tensor<3x9xi8>, %b: tensor<9x7xi8>, %c: tensor<3x7xi8>)
    -> tensor<3x7xi8> {
  %r = linalg.matmul ins(%a, %b : tensor<3x9xi8>, tensor<9x7xi8>)
                     outs(%c : tensor<3x7xi8>) -> tensor<3x7xi8>
  return %r : tensor<3x7xi8>
}

#id = affine_map<(i, j) -> (i, j)>
func.func @i1(%a: tensor<9x7xi1>, %b: tensor<9x7xi1>) -> tensor<9x7xi1> {
  %empty = tensor.empty() : tensor<9x7xi1>
  %r = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<9x7xi1>, tensor<9x7xi1>)
      outs(%empty : tensor<9x7xi1>) {
  ^bb0(%x: i1, %y: i1, %out: i1):
    %v = arith.xori %x, %y : i1
    linalg.yield %v : i1
  } -> tensor<9x7xi1>
  return %r : tensor<9x7xi1>
}
