// The tile by itself in a rank's program, above and below the size from which it
// is vectorized: as plain loops and as code of vectors, and the same result.
//
// RUN: mercury-run --verify --topology=gpu=2 --schedule=replicated --entry=large %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=2 --schedule=replicated --entry=small %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=2 --schedule=replicated --entry=large --local=loops %s | FileCheck %s

// CHECK: replicated {{.*}} verified

func.func @large(%q: tensor<2x40x33xbf16>, %k: tensor<2x50x33xbf16>, %v: tensor<2x50x20xbf16>,
                 %a: tensor<2x40x20xf32>, %m: tensor<2x40xf32>, %l: tensor<2x40xf32>)
    -> (tensor<2x40x20xf32>, tensor<2x40xf32>, tensor<2x40xf32>) {
  %r:3 = commir.online_attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>,
      affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>]
    ins(%q, %k, %v : tensor<2x40x33xbf16>, tensor<2x50x33xbf16>, tensor<2x50x20xbf16>)
    outs(%a, %m, %l : tensor<2x40x20xf32>, tensor<2x40xf32>, tensor<2x40xf32>)
    -> tensor<2x40x20xf32>, tensor<2x40xf32>, tensor<2x40xf32>
  return %r#0, %r#1, %r#2 : tensor<2x40x20xf32>, tensor<2x40xf32>, tensor<2x40xf32>
}

func.func @small(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x6xf32>,
                 %a: tensor<3x6xf32>, %m: tensor<3xf32>, %l: tensor<3xf32>)
    -> (tensor<3x6xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r:3 = commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %k, %v : tensor<3x4xf32>, tensor<5x4xf32>, tensor<5x6xf32>)
    outs(%a, %m, %l : tensor<3x6xf32>, tensor<3xf32>, tensor<3xf32>)
    -> tensor<3x6xf32>, tensor<3xf32>, tensor<3xf32>
  return %r#0, %r#1, %r#2 : tensor<3x6xf32>, tensor<3xf32>, tensor<3xf32>
}
