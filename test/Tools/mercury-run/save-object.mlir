// A program as an object file: linked with a launcher of its own and the library
// that runs the ranks, it does what mercury-run does. Of a program for devices the
// launcher waits for the streams.
// RUN: mercury-run --save-object=%t.o --topology=gpu=2 --schedule=gemm_all_reduce %s \
// RUN:   && %cxx -I%examples_dir/../include %S/Inputs/launch-gemm.cpp %t.o -L%mercury_lib_dir -lmercury_host -Wl,-rpath,%mercury_lib_dir -o %t.exe && %t.exe | FileCheck %s
// RUN: mercury-run --save-object=%t.device.o --target=emulated --topology=gpu=2 --schedule=gemm_all_reduce %s \
// RUN:   && %cxx -I%examples_dir/../include %S/Inputs/launch-gemm.cpp %t.device.o -L%mercury_lib_dir -lmercury_host -Wl,-rpath,%mercury_lib_dir -o %t.device.exe && %t.device.exe | FileCheck %s
// CHECK: "communicators":{{\[\[}}"gpu"]]
// CHECK: 20 24 46 54
// CHECK-NEXT: 20 24 46 54
//
// RUN: sh -c 'mercury-run --save-object=%t.absent/a.o --topology=gpu=2 --schedule=gemm_all_reduce %s; echo "exit $?"' 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: mercury-run: error: cannot write '{{.*}}.absent/a.o': {{[Nn]}}o such file or directory
// ABSENT: exit 2

// A rank has a column of A and a row of B.
func.func @gemm(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>)
    -> tensor<2x2xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>)
                     outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
