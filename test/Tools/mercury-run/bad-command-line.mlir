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
// REPEAT: mercury-run: error: --repeat must be positive, got 0
// REPEAT: exit 2

// RUN: sh -c 'mercury-run --chunks=-2 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=CHUNKS
// CHUNKS: mercury-run: error: --chunks must be positive, got -2
// CHUNKS: exit 2

// RUN: sh -c 'mercury-run -O7 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LEVEL
// LEVEL: mercury-run: error: -O must be 0, 1, 2 or 3, got 7
// LEVEL: exit 2

// RUN: sh -c 'mercury-run --memory-limit=-5 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=MEMORY
// MEMORY: mercury-run: error: --memory-limit must not be negative, got -5
// MEMORY: exit 2

// RUN: sh -c 'mercury-run --watchdog=-1 %s 2>&1; mercury-run --link-latency=inf %s 2>&1; mercury-run --time-scale=nan %s 2>&1; mercury-run --link-bandwidth=-0.5 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=FIGURE
// FIGURE: mercury-run: error: --watchdog must be a finite number that is not negative, got -1
// FIGURE: mercury-run: error: --link-latency must be a finite number that is not negative, got {{[Ii][Nn][Ff]}}
// FIGURE: mercury-run: error: --time-scale must be a finite number that is not negative, got {{[Nn][Aa][Nn]}}
// FIGURE: mercury-run: error: --link-bandwidth must be a finite number that is not negative, got -0.5
// FIGURE: exit 2

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
// POSITION: mercury-run: error: --arg 1: @f has 1 arguments
// POSITION: exit 2

// RUN: sh -c 'mercury-run --entry=f --save 2=a.npy %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=RESULT
// RESULT: mercury-run: error: --save 2: @f has 1 results
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
