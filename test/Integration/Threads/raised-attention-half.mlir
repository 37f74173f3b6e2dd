// Attention in half precision, raised from forms that compute scores and weights
// in f16 or bf16, equals the form as it was; on four ranks as a ring, which a
// function without attention refuses. A maximum that starts from the lowest f16
// is one before accumulators become f32.
//
// RUN: mercury-run %s --entry=f16 --verify --strict --topology=gpu=1 | FileCheck %s
// RUN: mercury-run %s --entry=f16 --verify --strict --topology=gpu=4 --schedule=ring | FileCheck %s
// RUN: mercury-run %s --entry=bf16 --verify --strict --topology=gpu=1 | FileCheck %s
// RUN: mercury-run %s --entry=bf16 --verify --strict --topology=gpu=4 --schedule=ring | FileCheck %s
// RUN: mercury-run %s --entry=mixed --verify --strict --topology=gpu=1 | FileCheck %s
// RUN: mercury-run %s --entry=mixed --verify --strict --topology=gpu=4 --schedule=ring | FileCheck %s
// CHECK: verified

#q = affine_map<(h, m, n, d) -> (h, m, d)>
#k = affine_map<(h, m, n, d) -> (h, n, d)>
#s = affine_map<(h, m, n, d) -> (h, m, n)>
#id = affine_map<(h, m, n) -> (h, m, n)>
#row = affine_map<(h, m, n) -> (h, m)>

func.func @f16(%q: tensor<3x20x16xf16>, %k: tensor<3x24x16xf16>, %v: tensor<3x24x16xf16>) -> tensor<3x20x16xf16> {
  %zero = arith.constant 0.0 : f16
  %lowest = arith.constant -6.550400e+04 : f16
  %scale = arith.constant dense<0.25> : tensor<3x20x24xf16>
  %es = tensor.empty() : tensor<3x20x24xf16>
  %er = tensor.empty() : tensor<3x20xf16>
  %zs = arith.constant dense<0.0> : tensor<3x20x24xf16>
  %zo = arith.constant dense<0.0> : tensor<3x20x16xf16>
  %lr = linalg.fill ins(%lowest : f16) outs(%er : tensor<3x20xf16>) -> tensor<3x20xf16>
  %zr = linalg.fill ins(%zero : f16) outs(%er : tensor<3x20xf16>) -> tensor<3x20xf16>
  %qk = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x20x16xf16>, tensor<3x24x16xf16>) outs(%zs : tensor<3x20x24xf16>) -> tensor<3x20x24xf16>
  %s = arith.mulf %qk, %scale : tensor<3x20x24xf16>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<3x20x24xf16>) outs(%lr : tensor<3x20xf16>) {
  ^bb0(%a: f16, %out: f16):
    %0 = arith.maximumf %a, %out : f16
    linalg.yield %0 : f16
  } -> tensor<3x20xf16>
  %x = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m : tensor<3x20x24xf16>, tensor<3x20xf16>) outs(%es : tensor<3x20x24xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %0 = arith.subf %a, %b : f16
    %1 = math.exp %0 : f16
    linalg.yield %1 : f16
  } -> tensor<3x20x24xf16>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<3x20x24xf16>) outs(%zr : tensor<3x20xf16>) {
  ^bb0(%a: f16, %out: f16):
    %0 = arith.addf %a, %out : f16
    linalg.yield %0 : f16
  } -> tensor<3x20xf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %l : tensor<3x20x24xf16>, tensor<3x20xf16>) outs(%es : tensor<3x20x24xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %0 = arith.divf %a, %b : f16
    linalg.yield %0 : f16
  } -> tensor<3x20x24xf16>
  %o = linalg.contract indexing_maps = [#s, #k, #q] ins(%p, %v : tensor<3x20x24xf16>, tensor<3x24x16xf16>) outs(%zo : tensor<3x20x16xf16>) -> tensor<3x20x16xf16>
  return %o : tensor<3x20x16xf16>
}

func.func @bf16(%q: tensor<3x20x16xbf16>, %k: tensor<3x24x16xbf16>, %v: tensor<3x24x16xbf16>) -> tensor<3x20x16xbf16> {
  %zero = arith.constant 0.0 : bf16
  %lowest = arith.constant 0xFF80 : bf16
  %scale = arith.constant dense<0.25> : tensor<3x20x24xbf16>
  %es = tensor.empty() : tensor<3x20x24xbf16>
  %er = tensor.empty() : tensor<3x20xbf16>
  %zs = arith.constant dense<0.0> : tensor<3x20x24xbf16>
  %zo = arith.constant dense<0.0> : tensor<3x20x16xbf16>
  %lr = linalg.fill ins(%lowest : bf16) outs(%er : tensor<3x20xbf16>) -> tensor<3x20xbf16>
  %zr = linalg.fill ins(%zero : bf16) outs(%er : tensor<3x20xbf16>) -> tensor<3x20xbf16>
  %qk = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x20x16xbf16>, tensor<3x24x16xbf16>) outs(%zs : tensor<3x20x24xbf16>) -> tensor<3x20x24xbf16>
  %s = arith.mulf %qk, %scale : tensor<3x20x24xbf16>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<3x20x24xbf16>) outs(%lr : tensor<3x20xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    %0 = arith.maximumf %a, %out : bf16
    linalg.yield %0 : bf16
  } -> tensor<3x20xbf16>
  %x = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m : tensor<3x20x24xbf16>, tensor<3x20xbf16>) outs(%es : tensor<3x20x24xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %0 = arith.subf %a, %b : bf16
    %1 = math.exp %0 : bf16
    linalg.yield %1 : bf16
  } -> tensor<3x20x24xbf16>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<3x20x24xbf16>) outs(%zr : tensor<3x20xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    %0 = arith.addf %a, %out : bf16
    linalg.yield %0 : bf16
  } -> tensor<3x20xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %l : tensor<3x20x24xbf16>, tensor<3x20xbf16>) outs(%es : tensor<3x20x24xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %0 = arith.divf %a, %b : bf16
    linalg.yield %0 : bf16
  } -> tensor<3x20x24xbf16>
  %o = linalg.contract indexing_maps = [#s, #k, #q] ins(%p, %v : tensor<3x20x24xbf16>, tensor<3x24x16xbf16>) outs(%zo : tensor<3x20x16xbf16>) -> tensor<3x20x16xbf16>
  return %o : tensor<3x20x16xbf16>
}

// Scores and weights in f32, the weights rounded to f16 before they meet V.
func.func @mixed(%q: tensor<3x20x16xf16>, %k: tensor<3x24x16xf16>, %v: tensor<3x24x16xf16>) -> tensor<3x20x16xf16> {
  %es = tensor.empty() : tensor<3x20x24xf32>
  %eh = tensor.empty() : tensor<3x20x24xf16>
  %zs = arith.constant dense<0.0> : tensor<3x20x24xf32>
  %zo = arith.constant dense<0.0> : tensor<3x20x16xf16>
  %s = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<3x20x16xf16>, tensor<3x24x16xf16>) outs(%zs : tensor<3x20x24xf32>) -> tensor<3x20x24xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x20x24xf32>) outs(%es : tensor<3x20x24xf32>) -> tensor<3x20x24xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<3x20x24xf32>) outs(%eh : tensor<3x20x24xf16>) {
  ^bb0(%a: f32, %out: f16):
    %0 = arith.truncf %a : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<3x20x24xf16>
  %o = linalg.contract indexing_maps = [#s, #k, #q] ins(%h, %v : tensor<3x20x24xf16>, tensor<3x24x16xf16>) outs(%zo : tensor<3x20x16xf16>) -> tensor<3x20x16xf16>
  return %o : tensor<3x20x16xf16>
}
