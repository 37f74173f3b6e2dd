// One rank's kernels of each kind, for runs on a device (scripts/device-check.sh)
// and under emulation. Extents divide nothing where "odd" is in the name.
commir.topology @machine levels [#commir.level<gpu, 1>]

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

func.func @gemm_f32(%a: tensor<256x192xf32>, %b: tensor<192x320xf32>) -> tensor<256x320xf32> {
  %zero = arith.constant dense<0.0> : tensor<256x320xf32>
  %c = linalg.matmul ins(%a, %b : tensor<256x192xf32>, tensor<192x320xf32>)
                     outs(%zero : tensor<256x320xf32>) -> tensor<256x320xf32>
  return %c : tensor<256x320xf32>
}

func.func @gemm_bf16(%a: tensor<256x192xbf16>, %b: tensor<192x320xbf16>) -> tensor<256x320xbf16> {
  %zero = arith.constant dense<0.0> : tensor<256x320xbf16>
  %c = linalg.matmul ins(%a, %b : tensor<256x192xbf16>, tensor<192x320xbf16>)
                     outs(%zero : tensor<256x320xbf16>) -> tensor<256x320xbf16>
  return %c : tensor<256x320xbf16>
}

func.func @gemm_f16_odd(%a: tensor<131x77xf16>, %b: tensor<77x93xf16>) -> tensor<131x93xf32> {
  %zero = arith.constant dense<0.0> : tensor<131x93xf32>
  %c = linalg.matmul ins(%a, %b : tensor<131x77xf16>, tensor<77x93xf16>)
                     outs(%zero : tensor<131x93xf32>) -> tensor<131x93xf32>
  return %c : tensor<131x93xf32>
}

func.func @gemm_transposed_odd(%a: tensor<77x131xf32>, %b: tensor<93x77xf32>) -> tensor<131x93xf32> {
  %zero = arith.constant dense<0.0> : tensor<131x93xf32>
  %c = linalg.matmul
         indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                          affine_map<(m, n, k) -> (n, k)>,
                          affine_map<(m, n, k) -> (m, n)>]
         ins(%a, %b : tensor<77x131xf32>, tensor<93x77xf32>)
         outs(%zero : tensor<131x93xf32>) -> tensor<131x93xf32>
  return %c : tensor<131x93xf32>
}

func.func @gemm_batch(%a: tensor<6x65x48xbf16>, %b: tensor<6x48x72xbf16>, %c: tensor<6x65x72xf32>) -> tensor<6x65x72xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<6x65x48xbf16>, tensor<6x48x72xbf16>)
                           outs(%c : tensor<6x65x72xf32>) -> tensor<6x65x72xf32>
  return %0 : tensor<6x65x72xf32>
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

func.func @attention_f32(%q: tensor<4x256x64xf32>, %k: tensor<4x256x64xf32>, %v: tensor<4x256x64xf32>) -> tensor<4x256x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x256x64xf32>
  %o = commir.attention
         maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
               affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
         scale 0.125
         ins(%q, %k, %v : tensor<4x256x64xf32>, tensor<4x256x64xf32>, tensor<4x256x64xf32>)
         outs(%zero : tensor<4x256x64xf32>) -> tensor<4x256x64xf32>
  return %o : tensor<4x256x64xf32>
}

func.func @attention_bf16(%q: tensor<4x192x128xbf16>, %k: tensor<4x320x128xbf16>, %v: tensor<4x320x128xbf16>) -> tensor<4x192x128xbf16> {
  %zero = arith.constant dense<0.0> : tensor<4x192x128xbf16>
  %o = commir.attention
         maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
               affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
         scale 0.088388
         ins(%q, %k, %v : tensor<4x192x128xbf16>, tensor<4x320x128xbf16>, tensor<4x320x128xbf16>)
         outs(%zero : tensor<4x192x128xbf16>) -> tensor<4x192x128xbf16>
  return %o : tensor<4x192x128xbf16>
}

// Three query heads share a key head; an additive mask.
func.func @attention_grouped_mask_odd(%q: tensor<2x3x67x40xf32>, %k: tensor<2x99x40xf32>, %v: tensor<2x99x24xf32>, %mask: tensor<67x99xf32>) -> tensor<2x3x67x24xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x3x67x24xf32>
  %o = commir.attention
         maps [affine_map<(h, g, m, n, d, e) -> (h, g, m, d)>, affine_map<(h, g, m, n, d, e) -> (h, n, d)>,
               affine_map<(h, g, m, n, d, e) -> (h, n, e)>, affine_map<(h, g, m, n, d, e) -> (m, n)>,
               affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>]
         scale 0.158
         ins(%q, %k, %v : tensor<2x3x67x40xf32>, tensor<2x99x40xf32>, tensor<2x99x24xf32>)
         mask(%mask : tensor<67x99xf32>)
         outs(%zero : tensor<2x3x67x24xf32>) -> tensor<2x3x67x24xf32>
  return %o : tensor<2x3x67x24xf32>
}

// Causal: most tiles are seen by all rows of a block or by none.
func.func @attention_causal(%q: tensor<4x256x64xf32>, %k: tensor<4x256x64xf32>, %v: tensor<4x256x64xf32>) -> tensor<4x256x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x256x64xf32>
  %o = commir.attention
         maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
               affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
         scale 0.125
         ins(%q, %k, %v : tensor<4x256x64xf32>, tensor<4x256x64xf32>, tensor<4x256x64xf32>)
         visible <right 0>
         outs(%zero : tensor<4x256x64xf32>) -> tensor<4x256x64xf32>
  return %o : tensor<4x256x64xf32>
}

// Three query heads share a key head; a window in each of two documents.
func.func @attention_grouped_window_odd(%q: tensor<2x3x99x40xbf16>, %k: tensor<2x99x40xbf16>, %v: tensor<2x99x24xbf16>) -> tensor<2x3x99x24xbf16> {
  %zero = arith.constant dense<0.0> : tensor<2x3x99x24xbf16>
  %begin, %end = commir.document_ranges static [31, 68] -> tensor<99xi32>, tensor<99xi32>
  %o = commir.attention
         maps [affine_map<(h, g, m, n, d, e) -> (h, g, m, d)>, affine_map<(h, g, m, n, d, e) -> (h, n, d)>,
               affine_map<(h, g, m, n, d, e) -> (h, n, e)>, affine_map<(h, g, m, n, d, e) -> (m)>,
               affine_map<(h, g, m, n, d, e) -> (m)>, affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>]
         scale 0.158
         ins(%q, %k, %v : tensor<2x3x99x40xbf16>, tensor<2x99x40xbf16>, tensor<2x99x24xbf16>)
         visible <left 20 right 2> key_range(%begin, %end : tensor<99xi32>, tensor<99xi32>)
         outs(%zero : tensor<2x3x99x24xbf16>) -> tensor<2x3x99x24xbf16>
  return %o : tensor<2x3x99x24xbf16>
}

//===----------------------------------------------------------------------===//
// Elementwise ops and reductions
//===----------------------------------------------------------------------===//

func.func @softmax_f32(%x: tensor<96x250xf32>) -> tensor<96x250xf32> {
  %e = tensor.empty() : tensor<96x250xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<96x250xf32>) outs(%e : tensor<96x250xf32>) -> tensor<96x250xf32>
  return %y : tensor<96x250xf32>
}

// Mean, variance, normalized: two reductions of a row and what follows.
func.func @layer_norm_bf16(%x: tensor<60x384xbf16>) -> tensor<60x384xbf16> {
  %zero = arith.constant dense<0.0> : tensor<60xf32>
  %empty = tensor.empty() : tensor<60x384xbf16>
  %count = arith.constant 384.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %sums:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<60x384xbf16>) outs(%zero, %zero : tensor<60xf32>, tensor<60xf32>) {
  ^bb0(%in: bf16, %s: f32, %s2: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.addf %s, %0 : f32
    %2 = arith.mulf %0, %0 : f32
    %3 = arith.addf %s2, %2 : f32
    linalg.yield %1, %3 : f32, f32
  } -> (tensor<60xf32>, tensor<60xf32>)
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums#0, %sums#1 : tensor<60x384xbf16>, tensor<60xf32>, tensor<60xf32>) outs(%empty : tensor<60x384xbf16>) {
  ^bb0(%in: bf16, %s: f32, %s2: f32, %out: bf16):
    %0 = arith.extf %in : bf16 to f32
    %mean = arith.divf %s, %count : f32
    %square = arith.divf %s2, %count : f32
    %mean2 = arith.mulf %mean, %mean : f32
    %variance = arith.subf %square, %mean2 : f32
    %shifted = arith.addf %variance, %epsilon : f32
    %r = math.rsqrt %shifted : f32
    %centered = arith.subf %0, %mean : f32
    %scaled = arith.mulf %centered, %r : f32
    %t = arith.truncf %scaled : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<60x384xbf16>
  return %y : tensor<60x384xbf16>
}

func.func @column_sums_odd(%x: tensor<301x77xf32>) -> tensor<77xf32> {
  %zero = arith.constant dense<0.0> : tensor<77xf32>
  %y = linalg.reduce {arith.addf} ins(%x : tensor<301x77xf32>) outs(%zero : tensor<77xf32>) dimensions = [0]
  return %y : tensor<77xf32>
}

func.func @gelu_f16(%x: tensor<129x66xf16>) -> tensor<129x66xf16> {
  %empty = tensor.empty() : tensor<129x66xf16>
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678 : f32
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<129x66xf16>) outs(%empty : tensor<129x66xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.mulf %0, %root : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %0, %half : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.truncf %5 : f32 to f16
    linalg.yield %6 : f16
  } -> tensor<129x66xf16>
  return %y : tensor<129x66xf16>
}

func.func @transpose_odd(%x: tensor<65x130xf32>) -> tensor<130x65xf32> {
  %empty = tensor.empty() : tensor<130x65xf32>
  %y = linalg.transpose ins(%x : tensor<65x130xf32>) outs(%empty : tensor<130x65xf32>) permutation = [1, 0]
  return %y : tensor<130x65xf32>
}
