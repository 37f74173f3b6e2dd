// Mistakes on the command line are bad input: exit code 2.

// RUN: sh -c 'mercury-run --topologi=gpu=2 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=OPTION
// OPTION: Unknown command line argument '--topologi=gpu=2'
// OPTION: Did you mean '--topology=gpu=2'?
// OPTION: exit 2

// RUN: sh -c 'mercury-run 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=FILE
// FILE: mercury-run: error: no input file; --help explains
// FILE: exit 2

// RUN: sh -c 'mercury-run %t.absent 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=ABSENT
// ABSENT: mercury-run: error: cannot parse '{{.*}}.absent'
// ABSENT: exit 2

// RUN: sh -c 'mercury-run --repeat=0 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=REPEAT
// REPEAT: mercury-run: error: --repeat and --chunks must be positive
// REPEAT: exit 2

// RUN: sh -c 'mercury-run --local=fast %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LOCAL
// LOCAL: Cannot find option named 'fast'
// LOCAL: exit 2

// RUN: sh -c 'mercury-run --ranks-as=mpi --link-latency=1 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LINKS
// LINKS: mercury-run: error: links are emulated between threads, not with --ranks-as=mpi
// LINKS: exit 2

// RUN: sh -c 'mercury-run --mpi=mpich %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=MPI
// MPI: mercury-run: error: --mpi=mpich needs --ranks-as=mpi
// MPI: exit 2

// RUN: sh -c 'mercury-run --arg a.npy %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=ARG
// ARG: mercury-run: error: --arg expects N=file.npy, but got 'a.npy'
// ARG: exit 2

// RUN: sh -c 'mercury-run --save 0=a.npy --save 0=b.npy %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=TWICE
// TWICE: mercury-run: error: --save names 0 twice
// TWICE: exit 2

// RUN: sh -c 'mercury-run --entry=f --arg 1=a.npy %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=POSITION
// POSITION: mercury-run: error: --arg 1: the function has 1 arguments
// POSITION: exit 2

// RUN: sh -c 'mercury-run --entry=f --save 2=a.npy %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=RESULT
// RESULT: mercury-run: error: --save 2: the function has 1 results
// RESULT: exit 2

// RUN: sh -c 'mercury-run %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: mercury-run: error: the module has several functions (@f, @g); name one with --entry
// SEVERAL: exit 2

// RUN: sh -c 'mercury-run --entry=h %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=ENTRY
// ENTRY: mercury-run: error: the module has no function @h; it has @f, @g
// ENTRY: exit 2

// RUN: sh -c 'mercury-run --entry=f --load=libabsent.so %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LOAD
// LOAD: mercury-run: error: cannot load 'libabsent.so': {{.+}}
// LOAD: exit 2

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
