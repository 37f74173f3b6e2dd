// What cannot be proved to be attention is left alone, with a remark.
//
// RUN: mercury-opt %s --mercury-raise-attention --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: commir.attention
// CHECK-LABEL: func.func @last(

func.func @max_from_zero(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0.0> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.reduce' is not raised to attention: its maximum starts from 0.000000e+00, which is neither -inf nor the lowest f32}}
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x12xf32>
  %x = math.exp %d : tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @max_from_argument(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %lr: tensor<8xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.reduce' is not raised to attention: its maximum starts from a value that is no constant}}
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x12xf32>
  %x = math.exp %d : tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @max_of_other(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %other: tensor<8x12xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.reduce' is not raised to attention: its maximum is that of other numbers than the exponent has}}
  %m = linalg.reduce {arith.maximumf} ins(%other : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x12xf32>
  %x = math.exp %d : tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// The maximum is taken before the scale.
func.func @max_of_scaled(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %t = arith.constant dense<0.5> : tensor<8x12xf32>
  %u = arith.mulf %s, %t : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.reduce' is not raised to attention: its maximum is that of other numbers than the exponent has}}
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %u, %mb : tensor<8x12xf32>
  %x = math.exp %d : tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// The maximum of row n is subtracted from column n.
func.func @max_of_other_rows(%q: tensor<8x16xf32>, %k: tensor<16x8xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x8xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x8xf32>) outs(%zs : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @+1 {{'linalg.reduce' is not raised to attention: its maximum is that of other numbers than the exponent has}}
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x8xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x8xf32>) dimensions = [0]
  %d = arith.subf %s, %mb : tensor<8x8xf32>
  %x = math.exp %d : tensor<8x8xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x8xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x8xf32>) dimensions = [1]
  %p = arith.divf %x, %lb : tensor<8x8xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x8xf32>, tensor<8x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @no_max(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %x = math.exp %s : tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  // expected-remark @+1 {{'arith.divf' is not raised to attention: no maximum over the keys is subtracted}}
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @sum_from_one(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zr = arith.constant dense<1.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x12xf32>
  %x = math.exp %d : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.reduce' is not raised to attention: its sum does not start from zero}}
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @sum_and_epsilon(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x12xf32>
  %x = math.exp %d : tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %eps = arith.constant dense<1.0e-6> : tensor<8xf32>
  %le = arith.addf %l, %eps : tensor<8xf32>
  %lb = linalg.broadcast ins(%le : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  // expected-remark @+1 {{'arith.divf' is not raised to attention: what it is divided by is no sum over the keys}}
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Divided by the sum of other exponentials.
func.func @sum_of_other(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %other: tensor<8x12xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x12xf32>
  %x = math.exp %d : tensor<8x12xf32>
  %y = math.exp %other : tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%y : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  // expected-remark @+1 {{'arith.divf' is not raised to attention: it is divided by a sum of other exponentials}}
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @other_dimension(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.softmax' is not raised to attention: it normalizes another dimension than the contraction that reads it sums over}}
  %p = linalg.softmax dimension(0) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @scores_from_argument(%s: tensor<8x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: its scores are not query times key, scaled, and masked by terms that are added}}
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Soft-capped scores.
func.func @scores_not_linear(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'math.tanh' is not raised to attention: its scores are not query times key, scaled, and masked by terms that are added}}
  %t = math.tanh %s : tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// What replaces scores has to hide them.
func.func @replaced_by_small(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %mask: tensor<8x12xi1>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %low = arith.constant dense<-1.0e+4> : tensor<8x12xf32>
  // expected-remark @+1 {{'arith.select' is not raised to attention: it replaces scores by -1.000000e+04, which is neither -inf nor a lowest number}}
  %t = arith.select %mask, %s, %low : tensor<8x12xi1>, tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @replaced_by_argument(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %mask: tensor<8x12xi1>, %other: tensor<8x12xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'arith.select' is not raised to attention: it replaces scores by what is no constant}}
  %t = arith.select %mask, %s, %other : tensor<8x12xi1>, tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// The lowest f16 hides keys beside others; where a row has no other, scores that
// it replaces are not scores that it is added to.
func.func @replaced_by_lowest_f16(%q: tensor<8x16xf16>, %k: tensor<16x12xf16>, %v: tensor<12x4xf16>, %mask: tensor<8x12xi1>) -> tensor<8x4xf16> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf16>
  %zo = arith.constant dense<0.0> : tensor<8x4xf16>
  %es = tensor.empty() : tensor<8x12xf16>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: a number that replaces its scores does not hide keys of rows that may have no other}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf16>, tensor<16x12xf16>) outs(%zs : tensor<8x12xf16>) -> tensor<8x12xf16>
  %low = arith.constant dense<-65504.0> : tensor<8x12xf16>
  %t = arith.select %mask, %s, %low : tensor<8x12xi1>, tensor<8x12xf16>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf16>) outs(%es : tensor<8x12xf16>) -> tensor<8x12xf16>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf16>, tensor<12x4xf16>) outs(%zo : tensor<8x4xf16>) -> tensor<8x4xf16>
  return %o : tensor<8x4xf16>
}

// -----

// 0 and 1, multiplied with scores.
func.func @scores_multiplied(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: its scores are multiplied by what is no constant; a mask of 0 and 1 that multiplies hides no key}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    %x = arith.select %c, %one, %zero : f32
    %0 = arith.mulf %a, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// And with weights, after the softmax.
func.func @weights_multiplied(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.generic' is not raised to attention: its weights have further factors}}
  %p = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    %x = arith.select %c, %one, %zero : f32
    %0 = arith.mulf %a, %x : f32
    linalg.yield %0 : f32
  } -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @scores_added_to(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %zs: tensor<8x12xf32>) -> tensor<8x4xf32> {
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: its sum does not start from zero}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @output_added_to(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %zo: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: its sum does not start from zero}}
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @weights_returned(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> (tensor<8x4xf32>, tensor<8x12xf32>) {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-remark @+1 {{'func.return' is not raised to attention: it reads scores or weights, which attention does not give}}
  return %o, %p : tensor<8x4xf32>, tensor<8x12xf32>
}

// -----

// The sums are read by another op.
func.func @sums_read(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x12xf32>
  %x = math.exp %d : tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-remark @+1 {{'func.return' is not raised to attention: it reads scores or weights, which attention does not give}}
  return %o, %l : tensor<8x4xf32>, tensor<8xf32>
}

// -----

func.func @weights_scaled(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %two = arith.constant dense<2.0> : tensor<8x12xf32>
  // expected-remark @+1 {{'arith.mulf' is not raised to attention: its weights are multiplied by 2.000000e+00}}
  %w = arith.mulf %p, %two : tensor<8x12xf32>
  %o = linalg.matmul ins(%w, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @weights_dropped(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %keep: tensor<8x12xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'arith.mulf' is not raised to attention: its weights have further factors}}
  %w = arith.mulf %p, %keep : tensor<8x12xf32>
  %o = linalg.matmul ins(%w, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Scores of f32 that are kept in f64 would lose precision.
func.func @scores_in_f64(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf64> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf64>
  %es = tensor.empty() : tensor<8x12xf64>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'arith.extf' is not raised to attention: its scores are not query times key, scaled, and masked by terms that are added}}
  %t = arith.extf %s : tensor<8x12xf32> to tensor<8x12xf64>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf64>) outs(%es : tensor<8x12xf64>) -> tensor<8x12xf64>
  %vd = arith.extf %v : tensor<12x4xf32> to tensor<12x4xf64>
  %o = linalg.matmul ins(%p, %vd : tensor<8x12xf64>, tensor<12x4xf64>) outs(%zo : tensor<8x4xf64>) -> tensor<8x4xf64>
  return %o : tensor<8x4xf64>
}

// -----

// The same query for every head.
func.func @query_without_heads(%q: tensor<8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x4xf32>) -> tensor<2x8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<2x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<2x8x4xf32>
  %es = tensor.empty() : tensor<2x8x12xf32>
  // expected-remark @+1 {{'linalg.contract' is not raised to attention: its query lacks a parallel loop}}
  %s = linalg.contract indexing_maps = [affine_map<(h, m, n, d) -> (m, d)>, affine_map<(h, m, n, d) -> (h, n, d)>, affine_map<(h, m, n, d) -> (h, m, n)>]
      ins(%q, %k : tensor<8x16xf32>, tensor<2x12x16xf32>) outs(%zs : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x12xf32>) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x12xf32>, tensor<2x12x4xf32>) outs(%zo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

func.func @several_features(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4x5xf32>) -> tensor<8x4x5xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4x5xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.contract' is not raised to attention: its value has several features}}
  %o = linalg.contract indexing_maps = [affine_map<(m, e, f, n) -> (m, n)>, affine_map<(m, e, f, n) -> (n, e, f)>, affine_map<(m, e, f, n) -> (m, e, f)>]
      ins(%p, %v : tensor<8x12xf32>, tensor<12x4x5xf32>) outs(%zo : tensor<8x4x5xf32>) -> tensor<8x4x5xf32>
  return %o : tensor<8x4x5xf32>
}

// -----

func.func @several_key_loops(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<3x4x5xf32>) -> tensor<8x5xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x5xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.softmax' is not raised to attention: no contraction over the keys alone multiplies it by values}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %px = tensor.expand_shape %p [[0], [1, 2]] output_shape [8, 3, 4] : tensor<8x12xf32> into tensor<8x3x4xf32>
  %o = linalg.contract indexing_maps = [affine_map<(m, e, n, k) -> (m, n, k)>, affine_map<(m, e, n, k) -> (n, k, e)>, affine_map<(m, e, n, k) -> (m, e)>]
      ins(%px, %v : tensor<8x3x4xf32>, tensor<3x4x5xf32>) outs(%zo : tensor<8x5xf32>) -> tensor<8x5xf32>
  return %o : tensor<8x5xf32>
}

// -----

func.func @dynamic(%q: tensor<?x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %zs: tensor<?x12xf32>, %zo: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s = linalg.matmul ins(%q, %k : tensor<?x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<?x12xf32>) -> tensor<?x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x12xf32>) outs(%zs : tensor<?x12xf32>) -> tensor<?x12xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: its shapes are dynamic or empty}}
  %o = linalg.matmul ins(%p, %v : tensor<?x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %o : tensor<?x4xf32>
}

// -----

func.func @dynamic_feature(%q: tensor<8x?xf32>, %k: tensor<?x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: its shapes are dynamic or empty}}
  %s = linalg.matmul ins(%q, %k : tensor<8x?xf32>, tensor<?x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @empty(%q: tensor<8x16xf32>, %k: tensor<16x0xf32>, %v: tensor<0x4xf32>, %zs: tensor<8x0xf32>, %zo: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x0xf32>) outs(%zs : tensor<8x0xf32>) -> tensor<8x0xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x0xf32>) outs(%zs : tensor<8x0xf32>) -> tensor<8x0xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: its shapes are dynamic or empty}}
  %o = linalg.matmul ins(%p, %v : tensor<8x0xf32>, tensor<0x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// What is added to the scores depends on them.
func.func @mask_of_scores(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'math.tanh' is not raised to attention: it reads scores or weights, which attention does not give}}
  %t = math.tanh %s : tensor<8x12xf32>
  %u = arith.addf %s, %t : tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%u : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @keys_in_both_factors(%q: tensor<8x12x16xf32>, %k: tensor<12x16xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.contract' is not raised to attention: not one of its factors alone has the keys}}
  %s = linalg.contract indexing_maps = [affine_map<(m, n, d) -> (m, n, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>]
      ins(%q, %k : tensor<8x12x16xf32>, tensor<12x16xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @several_contracted_features(%q: tensor<8x4x5xf32>, %k: tensor<12x4x5xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.contract' is not raised to attention: it sums over several features}}
  %s = linalg.contract indexing_maps = [affine_map<(m, n, d, f) -> (m, d, f)>, affine_map<(m, n, d, f) -> (n, d, f)>, affine_map<(m, n, d, f) -> (m, n)>]
      ins(%q, %k : tensor<8x4x5xf32>, tensor<12x4x5xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @key_without_features(%q: tensor<8x16xf32>, %k: tensor<12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.generic' is not raised to attention: its key is indexed in another way}}
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x16xf32>, tensor<12xf32>) outs(%zs : tensor<8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @value_without_keys(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.generic' is not raised to attention: its value is indexed in another way}}
  %o = linalg.generic {indexing_maps = [affine_map<(m, e, n) -> (m, n)>, affine_map<(m, e, n) -> (e)>, affine_map<(m, e, n) -> (m, e)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x12xf32>, tensor<4xf32>) outs(%zo : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Of the keys the diagonal is read.
func.func @key_diagonal(%q: tensor<8x16xf32>, %k: tensor<12x12x16xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x16xf32>, tensor<12x12x16xf32>) outs(%zs : tensor<8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: its operands are indexed in another way}}
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @mask_diagonal(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %mask: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: a mask of its scores is indexed in another way}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %mask : tensor<8x12xf32>, tensor<8x8xf32>) outs(%es : tensor<8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @scale_infinite(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %inf = arith.constant dense<0x7F800000> : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: its scale is not finite}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %t = arith.mulf %s, %inf : tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @products_scaled(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %two = arith.constant 2.0 : f32
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.generic' is not raised to attention: its products are multiplied by a constant}}
  %o = linalg.generic {indexing_maps = [affine_map<(m, e, n) -> (m, n)>, affine_map<(m, e, n) -> (n, e)>, affine_map<(m, e, n) -> (m, e)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %two : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @divided_again(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %by: tensor<8x12xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  // expected-remark @+1 {{'arith.divf' is not raised to attention: its weights are divided after the softmax}}
  %p = arith.divf %w, %by : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// 64 terms.
func.func @long_exponent(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %x = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<8x12xf32>, tensor<8xf32>) outs(%es : tensor<8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.addf %0, %0 : f32
    %2 = arith.addf %1, %1 : f32
    %3 = arith.addf %2, %2 : f32
    %4 = arith.addf %3, %3 : f32
    %5 = arith.addf %4, %4 : f32
    %6 = math.exp %5 : f32
    linalg.yield %6 : f32
  } -> tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  // expected-remark @+1 {{'arith.divf' is not raised to attention: its exponent has too many terms}}
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// The values are divided, not the weights.
func.func @values_divided(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %ev = tensor.empty() : tensor<8x12x4xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x12xf32>
  // expected-remark @+1 {{'math.exp' is not raised to attention: its exponentials are divided by no sum}}
  %x = math.exp %d : tensor<8x12xf32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %w = linalg.generic {indexing_maps = [affine_map<(m, n, e) -> (n, e)>, affine_map<(m, n, e) -> (m)>, affine_map<(m, n, e) -> (m, n, e)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v, %l : tensor<12x4xf32>, tensor<8xf32>) outs(%ev : tensor<8x12x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x12x4xf32>
  %o = linalg.contract indexing_maps = [affine_map<(m, e, n) -> (m, n)>, affine_map<(m, e, n) -> (m, n, e)>, affine_map<(m, e, n) -> (m, e)>]
      ins(%x, %w : tensor<8x12xf32>, tensor<8x12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Divided by the sum of the scores, to which another softmax was added.
func.func @sum_of_scores(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %bias: tensor<8x12xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  %zr = arith.constant dense<0.0> : tensor<8xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<8xf32>
  %u = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %w = linalg.softmax dimension(1) ins(%bias : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %s = arith.addf %u, %w : tensor<8x12xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<8x12xf32>) outs(%lr : tensor<8xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %d = arith.subf %s, %mb : tensor<8x12xf32>
  %x = math.exp %d : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.reduce' is not raised to attention: it does not sum the exponentials}}
  %l = linalg.reduce {arith.addf} ins(%s : tensor<8x12xf32>) outs(%zr : tensor<8xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x12xf32>) dimensions = [1]
  %p = arith.divf %x, %lb : tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Scores outside of a region may serve several passes through it.
func.func @scores_outside(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %c: i1) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.matmul' is not raised to attention: it stands in another block than what multiplies weights by values}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %r = scf.if %c -> tensor<8x4xf32> {
    %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
    %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
    scf.yield %o : tensor<8x4xf32>
  } else {
    scf.yield %zo : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

func.func @alone(%s: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @+1 {{'linalg.softmax' is not raised to attention: no contraction over the keys alone multiplies it by values}}
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  return %p : tensor<8x12xf32>
}

// -----

// No remark where nothing looks like softmax: a gate with exponentials.
func.func @last(%a: tensor<8x12xf32>, %b: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %one = arith.constant dense<1.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %n = arith.negf %a : tensor<8x12xf32>
  %x = math.exp %n : tensor<8x12xf32>
  %d = arith.addf %x, %one : tensor<8x12xf32>
  %g = arith.divf %a, %d : tensor<8x12xf32>
  %o = linalg.matmul ins(%g, %b : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}
