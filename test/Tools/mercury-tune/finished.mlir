// A schedule that is attached lets attention finish before its result leaves: what
// travels has the result's type, not that of the state.
// RUN: mercury-tune %s --topology=gpu=4 "--inputs=[{}, {gpu}, {}]" "--results=[{}, {gpu}, {}]" --top=1 --emit=transform -o %t.mlir
// RUN: mercury-run %s --topology=gpu=4 --schedule=%t.mlir --emit=stage3 | FileCheck %s
// CHECK: commir.online_attention
// CHECK: commir.all_to_all {{.*}}bf16>
// CHECK-NOT: commir.all_to_all {{.*}}f32>
func.func @attention(%q: tensor<8x512x64xbf16>, %k: tensor<8x512x64xbf16>, %v: tensor<8x512x64xbf16>) -> tensor<8x512x64xbf16> {
  %empty = tensor.empty() : tensor<8x512x64xbf16>
  %o = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
      scale 0.125
      ins(%q, %k, %v : tensor<8x512x64xbf16>, tensor<8x512x64xbf16>, tensor<8x512x64xbf16>)
      outs(%empty : tensor<8x512x64xbf16>) -> tensor<8x512x64xbf16>
  return %o : tensor<8x512x64xbf16>
}
