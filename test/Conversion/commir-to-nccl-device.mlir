// Programs for devices with streams: the host enqueues, and waits for nothing.
// RUN: mercury-opt %s --convert-commir-to-nccl=target=device --canonicalize --cse | FileCheck %s --implicit-check-not=commir. --implicit-check-not=Synchronize
//
// All of it lowers to the llvm dialect where kernels are functions.
// RUN: mercury-opt %s --convert-commir-to-nccl=target=device --mercury-lower-to-llvm | FileCheck %s --check-prefix=LLVM
// LLVM: llvm.func @scale_params(%{{.*}}: !llvm.ptr) {
// LLVM-NOT: unrealized_conversion_cast
// LLVM: llvm.call @scale(
// LLVM: llvm.func @step(
// LLVM-NOT: unrealized_conversion_cast
// LLVM: llvm.call @mgpuLaunchKernel(

commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// A kernel that is a function on the host is called through pointers to its
// parameters: buffers by the pointer to their first element, numbers by value.
//
// CHECK-LABEL: func.func private @scale(
// CHECK-LABEL: llvm.func @scale_params(
// CHECK-SAME: %[[PARAMS:.+]]: !llvm.ptr) {
// CHECK: %[[SLOT0:.+]] = llvm.load %[[PARAMS]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[P:.+]] = llvm.load %[[SLOT0]] : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.insertvalue %[[P]],
// CHECK: %[[VIEW:.+]] = builtin.unrealized_conversion_cast {{.*}} to memref<4xf32, strided<[2]>>
// CHECK: %[[AT1:.+]] = llvm.getelementptr %[[PARAMS]][1]
// CHECK: %[[SLOT1:.+]] = llvm.load %[[AT1]]
// CHECK: %[[BY:.+]] = llvm.load %[[SLOT1]] : !llvm.ptr -> f32
// CHECK: %[[AT2:.+]] = llvm.getelementptr %[[PARAMS]][2]
// CHECK: %[[SLOT2:.+]] = llvm.load %[[AT2]]
// CHECK: %[[N:.+]] = llvm.load %[[SLOT2]] : !llvm.ptr -> i64
// CHECK: %[[INDEX:.+]] = builtin.unrealized_conversion_cast %[[N]] : i64 to index
// CHECK: call @scale(%[[VIEW]], %[[BY]], %[[INDEX]], %{{.*}})
// CHECK: llvm.return
func.func private @scale(%x: memref<4xf32, strided<[2]>>, %by: f32, %n: index, %y: memref<4xf32>) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32, strided<[2]>>) outs(%y : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %product = arith.mulf %in, %by : f32
    linalg.yield %product : f32
  }
  return
}

// The slots of parameters are made once. Nothing is awaited.
//
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr, %[[A:[^ ]+]]: !llvm.ptr, %[[B:[^ ]+]]: !llvm.ptr, %[[F:[^ ]+]]: f32, %[[COUNT:[^ ]+]]: index) -> i32 {
// CHECK-DAG: %[[KERNEL:.+]] = llvm.mlir.addressof @scale_params
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : i32
// CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-DAG: %[[FOUR:.+]] = arith.constant 4 : i64
// CHECK-DAG: %[[SLOTS:.+]] = llvm.alloca %[[FOUR]] x i64
// CHECK-DAG: %[[PARAMS:.+]] = llvm.alloca %[[FOUR]] x !llvm.ptr
// CHECK: llvm.store %[[SLOTS]], %[[PARAMS]] : !llvm.ptr, !llvm.ptr
// CHECK: %[[S1:.+]] = llvm.getelementptr %[[SLOTS]][1]
// CHECK: %[[P1:.+]] = llvm.getelementptr %[[PARAMS]][1]
// CHECK: llvm.store %[[S1]], %[[P1]]
// CHECK: scf.for
// CHECK-NOT: alloca
// CHECK: %[[STREAM:.+]] = func.call @mercury_comm_stream(%[[X]], %[[C0]])
// CHECK: %[[E0:.+]] = func.call @mercury_event(%[[X]], %[[C0]])
// CHECK: func.call @mgpuStreamWaitEvent(%[[STREAM]], %[[E0]])
// CHECK: func.call @ncclGroupEnd()
// CHECK: %[[E1:.+]] = func.call @mercury_event(%[[X]], %[[C1]])
// CHECK: %[[STREAM:.+]] = func.call @mercury_comm_stream(%[[X]], %[[C0]])
// CHECK: func.call @mgpuEventRecord(%[[E1]], %[[STREAM]])
// CHECK: %[[COMPUTE:.+]] = func.call @mercury_compute_stream(%[[X]])
// CHECK: %[[E1:.+]] = func.call @mercury_event(%[[X]], %[[C1]])
// CHECK: func.call @mgpuStreamWaitEvent(%[[COMPUTE]], %[[E1]])
// CHECK: %[[FIRST:.+]] = llvm.inttoptr
// CHECK: llvm.store %[[FIRST]], %[[SLOTS]] : !llvm.ptr, !llvm.ptr
// CHECK: llvm.store %[[F]], %[[S1]] : f32, !llvm.ptr
// CHECK: %[[COMPUTE:.+]] = func.call @mercury_compute_stream(%[[X]])
// CHECK: func.call @mgpuLaunchKernel(%[[KERNEL]], %[[ONE]], %[[ONE]], %[[ONE]], %[[ONE]], %[[ONE]], %[[ONE]], %[[C0]], %[[COMPUTE]], %[[PARAMS]], %{{.*}}, %[[FOUR]])
// CHECK: %[[E0:.+]] = func.call @mercury_event(%[[X]], %[[C0]])
// CHECK: %[[COMPUTE:.+]] = func.call @mercury_compute_stream(%[[X]])
// CHECK: func.call @mgpuEventRecord(%[[E0]], %[[COMPUTE]])
// CHECK: call @mercury_free(%[[X]],
// CHECK: %[[STATUS:.+]] = call @mercury_status(%[[X]])
// CHECK: return %[[STATUS]] : i32
func.func @step(%a: memref<8xf32>, %b: memref<4xf32>, %f: f32, %n: index) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %next = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    commir.wait_event 0 on {gpu}
    commir.hop %a into %next by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
    commir.record_event 1 on {gpu}
    commir.wait_event 1 on compute
    %odd = memref.subview %next[1] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2], offset: 1>>
    commir.launch @scale ins(%odd, %f, %n : memref<4xf32, strided<[2], offset: 1>>, f32, index) outs(%b : memref<4xf32>)
    commir.record_event 0 on compute
  }
  memref.dealloc %next : memref<8xf32>
  return
}

// A hop over two sets of axes is on two streams, which events tie, not it.
//
// CHECK-LABEL: func.func @two_streams(
// CHECK: call @ncclGroupStart()
// CHECK: call @ncclGroupEnd()
// CHECK-NOT: mgpu
// CHECK: return
func.func @two_streams(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>) attributes {commir.topology = @grid} {
  commir.hop %a, %b into %c, %d by [#commir.hop<{gpu} by 1>, #commir.hop<{node} by 1>]
      : memref<8xf32>, memref<8xf32> into memref<8xf32>, memref<8xf32>
  return
}

// A check is enqueued where what it reads is made.
//
// CHECK-LABEL: func.func @documents(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr, %[[S:[^ ]+]]: !llvm.ptr)
// CHECK: %[[STREAM:.+]] = call @mercury_compute_stream(%[[X]])
// CHECK: call @mercury_check_documents(%[[X]], %[[STREAM]],
func.func @documents(%s: memref<2x4x8xi32>) attributes {commir.topology = @ring} {
  commir.check_documents segments(%s : memref<2x4x8xi32>)
  return
}
