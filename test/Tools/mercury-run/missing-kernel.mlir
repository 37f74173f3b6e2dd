// A kernel that no library has: found when the program is linked.
// RUN: sh -c 'mercury-run --topology=gpu=2 --local=loops -O0 %s 2>&1; echo "exit $?"' | FileCheck %s
// CHECK: Symbols not found: [ my_kernel ]
// CHECK: mercury-run: error: cannot link @f: {{.+}}
// CHECK: exit 3

func.func private @my_kernel()
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  call @my_kernel() : () -> ()
  return %a : tensor<8xf32>
}
