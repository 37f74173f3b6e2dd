// RUN: mercury-opt %s --mercury-promote-accumulators --split-input-file --verify-diagnostics
// RUN: not mercury-opt %s --mercury-promote-accumulators=type=f16 2>&1 | FileCheck %s
// CHECK: error: option 'type' is 'f16', expected 'f32' or 'f64'

func.func @bitcast_has_no_wide_form(%a: tensor<4x8xf16>, %c: tensor<4xf16>) -> tensor<4xf16> {
  // expected-remark@+1 {{keeps accumulating in 'f16': 'arith.bitcast' in its body has no form in 'f32'}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf16>) outs(%c : tensor<4xf16>) {
  ^bb0(%x: f16, %o: f16):
    // expected-note@+1 {{here}}
    %i = arith.bitcast %x : f16 to i16
    %b = arith.bitcast %i : i16 to f16
    %s = arith.addf %o, %b : f16
    linalg.yield %s : f16
  } -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
