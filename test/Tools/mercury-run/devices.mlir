// The program for GPUs, its kernels compiled for the CPU or run as device code.
// RUN: mercury-run --verify --target=emulated --topology=gpu=4 --schedule=gemm_reduce_scatter_shifted --jitter=0.0005 %s | FileCheck %s --check-prefix=VERIFIED
// RUN: mercury-run --verify --target=emulated --kernels=simt --chip=sm_80 --topology=node=2,gpu=2 --schedule=all_gather_gemm --repeat=2 %s | FileCheck %s --check-prefix=VERIFIED
// RUN: mercury-run --verify --target=emulated --local=loops --chunks=2 --strict --topology=gpu=2 --schedule=all_gather_gemm_shifted %s | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: {{ verified$}}
//
// Before it becomes calls it has kernels, launches and events, and no wait of the
// host.
// RUN: mercury-run --emit=gpu --target=emulated --topology=gpu=4 --schedule=all_gather_gemm_shifted %s | FileCheck %s --check-prefix=GPU --implicit-check-not=commir.wait{{$}}
// GPU: func.func @gemm(
// GPU: commir.hop
// GPU: commir.record_event [[HOP:[0-9]+]] on {gpu}
// GPU: commir.launch @[[KERNEL:[a-z_0-9]+]] ins(
// GPU: commir.wait_event [[HOP]] on compute
// GPU: func.func private @[[KERNEL]](
// GPU-SAME: commir.kernel
//
// With kernels as device code, that.
// RUN: mercury-run --emit=gpu --target=emulated --kernels=simt --topology=gpu=4 --schedule=all_gather_gemm %s | FileCheck %s --check-prefix=SIMT
// SIMT: gpu.module @kernels
// SIMT: gpu.func @{{.*}}known_block_size
// SIMT: commir.launch @kernels::@
//
// A chip that is not known.
// RUN: not mercury-run --target=emulated --kernels=simt --chip=sm_10 --topology=gpu=2 %s 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: chip 'sm_10' is not one of sm_80, sm_89, sm_90a, sm_100
// CHIP: mercury-run: error: cannot lower @gemm for emulated devices
//
// Options of other targets.
// RUN: sh -c 'mercury-run --kernels=simt %s; mercury-run --chip=sm_80 --target=emulated %s; mercury-run --target=emulated --kernels=simt --local=blas %s; mercury-run --emit=gpu %s; mercury-run --local=library %s; mercury-run --target=cuda --local=blas %s; mercury-run --target=cuda --strict %s; mercury-run --target=cuda --ranks-as=mpi %s; mercury-run --jitter=-1 %s; mercury-run --jitter=1 --ranks-as=mpi %s; echo "exit $?" >&2' 2>&1 | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: mercury-run: error: --kernels needs --target=emulated
// OPTIONS-NEXT: mercury-run: error: --chip needs --target=cuda, or --target=emulated --kernels=simt
// OPTIONS-NEXT: mercury-run: error: --local is of kernels for CPUs, not of --kernels=simt
// OPTIONS-NEXT: mercury-run: error: --emit=gpu needs --target=cuda or emulated
// OPTIONS-NEXT: mercury-run: error: --local=library needs --target=cuda
// OPTIONS-NEXT: mercury-run: error: --target=cuda has --local=codegen and library
// OPTIONS-NEXT: mercury-run: error: --strict is of ranks on CPUs, not of --target=cuda
// OPTIONS-NEXT: mercury-run: error: --ranks-as=mpi is of ranks on CPUs; with --target=cuda the processes are those that torchrun or mpirun started
// OPTIONS-NEXT: mercury-run: error: --jitter must be a finite number that is not negative, got -1
// OPTIONS-NEXT: mercury-run: error: streams have jitter between threads, not with --ranks-as=mpi
// OPTIONS-NEXT: exit 2

func.func @gemm(%a: tensor<24x40xf32>, %b: tensor<40x16xf32>, %c: tensor<24x16xf32>)
    -> tensor<24x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<24x40xf32>, tensor<40x16xf32>)
                     outs(%c : tensor<24x16xf32>) -> tensor<24x16xf32>
  return %r : tensor<24x16xf32>
}
