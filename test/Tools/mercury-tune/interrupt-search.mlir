// A search that is interrupted ends with the best so far, and says that it is not
// proven.
// RUN: python3 %S/Inputs/interrupt.py "searching: " mercury-tune %s --topology=h100-sxm:pod=8,rack=4,node=16,gpu=8 --inputs='[{}, {pod, rack, node, gpu}, {}]' --results='[{}, {pod, rack, node, gpu}, {}]' --budget=10min --top=1 | FileCheck %s
// CHECK: terminal: [....................]   0%  0:{{[0-9]+}} of 10:00  searching: {{[0-9]+}} schedules
// CHECK: 1 {{.*}} 1.00
// CHECK: not proven to be it
// CHECK: remark: interrupted: this is the best so far
// CHECK: interrupted exit code 130

!t = tensor<64x65536x64xf32>
#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
func.func @attention(%q: !t, %k: !t, %v: !t) -> !t {
  %init = tensor.empty() : !t
  %o = commir.attention maps [#q, #k, #v, #o] scale 0.125
         ins(%q, %k, %v : !t, !t, !t) outs(%init : !t) -> !t
  return %o : !t
}
