// Communication on buffers becomes calls of the NCCL C API.
// RUN: mercury-opt %s --allow-unregistered-dialect --convert-commir-to-nccl --canonicalize --cse | FileCheck %s --implicit-check-not=commir.
//
// A group holds at most 256 calls: 300 ranks exchange in three groups.
// RUN: mercury-opt %s --allow-unregistered-dialect --convert-commir-to-nccl --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=GROUPS
//
// The same, counted.
// RUN: mercury-opt %s --allow-unregistered-dialect --convert-commir-to-nccl | python3 %S/Inputs/count-group-calls.py all_to_all_of_many \
// RUN:   | FileCheck %s --check-prefix=COUNTED
// COUNTED: 256 256 88

commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]
commir.topology @many levels [#commir.level<gpu, 300>]

// Arguments are pointers, the result is a status. Each call says the number of
// elements of a rank, its type, and the reduction; its result is checked, and the
// stream of the communicator is waited for.
//
// CHECK-DAG: llvm.mlir.global internal constant @[[LENGTHS:.+]]("check_documents at {{.*}}commir-to-nccl.mlir:[[# @LINE + 279]]:3\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.+]]("all_gather at {{.*}}commir-to-nccl.mlir:[[# @LINE + 23]]:3\00")
// CHECK-LABEL: func.func @collectives(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr, %[[A:[^ ]+]]: !llvm.ptr, %[[B:[^ ]+]]: !llvm.ptr, %[[ROOT:[^ ]+]]: index) -> i32 {
// CHECK-DAG: %[[F32:.+]] = arith.constant 7 : i32
// CHECK-DAG: %[[EIGHT:.+]] = arith.constant 8 : i64
// CHECK-DAG: %[[MAX:.+]] = arith.constant 2 : i32
// CHECK-DAG: %[[SUM:.+]] = arith.constant 0 : i32
// CHECK-DAG: %[[WHERE:.+]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr
// CHECK: %[[C:.+]] = call @mercury_comm(%[[X]], %[[SUM]])
// CHECK: %[[S:.+]] = call @mercury_comm_stream(%[[X]], %[[SUM]])
// CHECK: %[[R:.+]] = call @ncclAllGather(%[[PA:.+]], %[[PB:.+]], %[[EIGHT]], %[[F32]], %[[C]], %[[S]])
// CHECK-NEXT: call @mercury_check(%[[X]], %[[R]], %[[WHERE]])
// CHECK-NEXT: call @mgpuStreamSynchronize(%[[S]])
// CHECK: call @ncclReduceScatter(%[[PB]], %[[PA]], %[[EIGHT]], %[[F32]], %[[MAX]],
// CHECK: call @ncclAllReduce(%[[PA]], %[[PA]], %[[EIGHT]], %[[F32]], %[[SUM]],
// CHECK: %[[FROM:.+]] = arith.index_cast %[[ROOT]] : index to i32
// CHECK: call @ncclBroadcast(%[[PA]], %[[PA]], %[[EIGHT]], %[[F32]], %[[FROM]],
// CHECK: %[[STATUS:.+]] = call @mercury_status(%[[X]])
// CHECK: return %[[STATUS]] : i32
// CHECK-LABEL: func.func @collectives_packed(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr, %[[ALL:[^ ]+]]: !llvm.ptr) -> i32
// CHECK: call @collectives(%[[X]],
func.func @collectives(%a: memref<8xf32>, %b: memref<4x8xf32>, %root: index) attributes {commir.topology = @ring} {
  commir.all_gather %a into %b over {gpu} : memref<8xf32> into memref<4x8xf32>
  commir.reduce_scatter max %b into %a over {gpu} : memref<4x8xf32> into memref<8xf32>
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  commir.broadcast %a into %a from %root over {gpu} : memref<8xf32> into memref<8xf32>
  return
}

// Types and reductions by the numbers of the API; an i1 is a byte.
//
// CHECK-LABEL: func.func @element_types(
// CHECK-DAG: %[[I8:.+]] = arith.constant 0 : i32
// CHECK-DAG: %[[U8:.+]] = arith.constant 1 : i32
// CHECK-DAG: %[[I32:.+]] = arith.constant 2 : i32
// CHECK-DAG: %[[I64:.+]] = arith.constant 4 : i32
// CHECK-DAG: %[[F16:.+]] = arith.constant 6 : i32
// CHECK-DAG: %[[F64:.+]] = arith.constant 8 : i32
// CHECK-DAG: %[[BF16:.+]] = arith.constant 9 : i32
// CHECK-DAG: %[[MIN:.+]] = arith.constant 3 : i32
// CHECK: call @ncclAllReduce({{.*}}, %[[F64]], %[[U8]], %{{[0-9]+}}, %{{[0-9]+}})
// CHECK: call @ncclAllReduce({{.*}}, %[[F16]], %[[U8]], %{{[0-9]+}}, %{{[0-9]+}})
// CHECK: call @ncclAllReduce({{.*}}, %[[BF16]], %[[U8]], %{{[0-9]+}}, %{{[0-9]+}})
// CHECK: call @ncclAllReduce({{.*}}, %[[I8]], %[[MIN]], %{{[0-9]+}}, %{{[0-9]+}})
// CHECK: call @ncclAllReduce({{.*}}, %[[I32]], %[[MIN]], %{{[0-9]+}}, %{{[0-9]+}})
// CHECK: call @ncclAllReduce({{.*}}, %[[I64]], %[[MIN]], %{{[0-9]+}}, %{{[0-9]+}})
// CHECK: call @ncclBroadcast({{.*}}, %[[U8]], %[[I8]], %{{[0-9]+}}, %{{[0-9]+}})
func.func @element_types(%a: memref<2xf64>, %b: memref<2xf16>, %c: memref<2xbf16>, %d: memref<2xi8>, %e: memref<2xi32>, %f: memref<2xi64>, %g: memref<2xi1>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  commir.all_reduce prod %a over {gpu} : memref<2xf64>
  commir.all_reduce prod %b over {gpu} : memref<2xf16>
  commir.all_reduce prod %c over {gpu} : memref<2xbf16>
  commir.all_reduce min %d over {gpu} : memref<2xi8>
  commir.all_reduce min %e over {gpu} : memref<2xi32>
  commir.all_reduce min %f over {gpu} : memref<2xi64>
  commir.broadcast %g into %g from %c0 over {gpu} : memref<2xi1> into memref<2xi1>
  return
}

// What is started records the event of its request, a wait synchronizes with it.
//
// CHECK-LABEL: func.func @started_and_waited_for(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr, %{{.*}}) -> i32 {
// CHECK-DAG: %[[REQUEST:.+]] = arith.constant 5 : i32
// CHECK: %[[S:.+]] = call @mercury_comm_stream(
// CHECK: call @ncclAllReduce(
// CHECK: %[[E:.+]] = call @mercury_event(%[[X]], %[[REQUEST]])
// CHECK-NEXT: call @mgpuEventRecord(%[[E]], %[[S]])
// CHECK-NOT: mgpuStreamSynchronize
// CHECK: linalg.exp
// CHECK: %[[W:.+]] = call @mercury_event(%[[X]], %[[REQUEST]])
// CHECK-NEXT: call @mgpuEventSynchronize(%[[W]])
func.func @started_and_waited_for(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @ring} {
  commir.all_reduce sum %a over {gpu} request 5 : memref<8xf32>
  linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
  commir.wait 5 for %a : memref<8xf32>
  return
}

// Loops over tiles beside a wait let what is under way move on; the two innermost
// levels do not, nor does a nest of two, nor one before the step of the wait.
//
// CHECK-LABEL: func.func @progress(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr,
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: linalg.exp
// CHECK: scf.for
// CHECK: call @ncclAllReduce(
// CHECK: scf.for
// CHECK-NEXT: func.call @mercury_progress(%[[X]])
// CHECK-NEXT: scf.for
// CHECK-NEXT: func.call @mercury_progress(%[[X]])
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: linalg.exp
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: linalg.exp
// CHECK: scf.if
// CHECK: call @mgpuEventSynchronize(
func.func @progress(%a: memref<8xf32>, %b: memref<8xf32>, %last: i1) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      scf.for %k = %c0 to %c8 step %c1 {
        linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
      }
    }
  }
  scf.for %step = %c0 to %c8 step %c1 {
    commir.all_reduce sum %a over {gpu} request 5 : memref<8xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        scf.for %k = %c0 to %c8 step %c1 {
          scf.for %l = %c0 to %c8 step %c1 {
            linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
          }
        }
      }
    }
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
      }
    }
    scf.if %last {
      commir.wait 5 for %a : memref<8xf32>
    }
  }
  return
}

// Tiles of several axes hop in one group, each on its communicator. The event stands
// for both streams: the second one is joined into the first.
//
// CHECK-LABEL: func.func @hop(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr, %{{.*}}) -> i32 {
// CHECK-DAG: %[[FIRST:.+]] = arith.constant 0 : i32
// CHECK-DAG: %[[SECOND:.+]] = arith.constant 1 : i32
// CHECK: call @ncclGroupStart()
// CHECK: %[[C0:.+]] = call @mercury_comm(%[[X]], %[[FIRST]])
// CHECK: %[[S0:.+]] = call @mercury_comm_stream(%[[X]], %[[FIRST]])
// CHECK: call @ncclSend({{.*}}, %[[C0]], %[[S0]])
// CHECK: call @ncclRecv({{.*}}, %[[C0]], %[[S0]])
// CHECK: %[[C1:.+]] = call @mercury_comm(%[[X]], %[[SECOND]])
// CHECK: %[[S1:.+]] = call @mercury_comm_stream(%[[X]], %[[SECOND]])
// CHECK: call @ncclSend({{.*}}, %[[C1]], %[[S1]])
// CHECK: call @ncclRecv({{.*}}, %[[C1]], %[[S1]])
// CHECK: call @ncclGroupEnd()
// CHECK: %[[E:.+]] = call @mercury_event(%[[X]],
// CHECK-NEXT: call @mgpuEventRecord(%[[E]], %[[S1]])
// CHECK-NEXT: call @mgpuStreamWaitEvent(%[[S0]], %[[E]])
// CHECK: call @mgpuEventRecord(%{{.+}}, %[[S0]])
// CHECK: call @mgpuEventSynchronize(
func.func @hop(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>) attributes {commir.topology = @grid} {
  commir.hop %a, %c into %b, %d by [#commir.hop<{gpu} by 1>, #commir.hop<{node} by 1>] request 0 : memref<8xf32>, memref<8xf32> into memref<8xf32>, memref<8xf32>
  commir.wait 0 for %a, %b, %c, %d : memref<8xf32>, memref<8xf32>, memref<8xf32>, memref<8xf32>
  return
}

// A rank sends only if it has somebody to send to, and receives only from somebody.
//
// CHECK-LABEL: func.func @permute(
// CHECK-SAME: %[[TO:[^ ]+]]: index, %[[FROM:[^ ]+]]: index) -> i32 {
// CHECK: %[[ZERO:.+]] = arith.constant 0 : index
// CHECK: call @ncclGroupStart()
// CHECK: %[[SENDS:.+]] = arith.cmpi sge, %[[TO]], %[[ZERO]]
// CHECK-NEXT: scf.if %[[SENDS]]
// CHECK: func.call @ncclSend(
// CHECK: %[[RECEIVES:.+]] = arith.cmpi sge, %[[FROM]], %[[ZERO]]
// CHECK-NEXT: scf.if %[[RECEIVES]]
// CHECK: func.call @ncclRecv(
// CHECK: call @ncclGroupEnd()
// CHECK: call @mgpuStreamSynchronize(
func.func @permute(%a: memref<8xf32>, %b: memref<8xf32>, %to: index, %from: index) attributes {commir.topology = @ring} {
  commir.permute %a into %b to %to from %from over {gpu} : memref<8xf32> into memref<8xf32>
  return
}

// A view starts inside of its buffer: row 2 of 8 floats, 64 bytes.
//
// CHECK-LABEL: func.func @view(
// CHECK-DAG: %[[BYTES:.+]] = arith.constant 64 : index
// CHECK: %[[BASE:.+]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[AT:.+]] = arith.addi %[[BASE]], %[[BYTES]]
// CHECK: %[[I:.+]] = arith.index_cast %[[AT]]
// CHECK: %[[P:.+]] = llvm.inttoptr %[[I]]
// CHECK: call @ncclAllReduce(%[[P]], %[[P]],
func.func @view(%a: memref<4x8xf32>) attributes {commir.topology = @ring} {
  %row = memref.subview %a[2, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: 16>>
  commir.all_reduce sum %row over {gpu} : memref<8xf32, strided<[1], offset: 16>>
  return
}

// Ranks are numbered row-major over the levels, coordinates over the axes as they
// are named.
//
// CHECK-LABEL: func.func @rank_coordinates(
// CHECK: %[[TWO:.+]] = arith.constant 2 : i64
// CHECK: %[[N0:.+]] = arith.divui %{{.+}}, %[[TWO]]
// CHECK: %[[N1:.+]] = arith.remui %[[N0]], %[[TWO]]
// CHECK: %[[N:.+]] = arith.index_cast %[[N1]]
// CHECK: %[[G1:.+]] = arith.remui %{{.+}}, %[[TWO]]
// CHECK: %[[G:.+]] = arith.index_cast %[[G1]]
// CHECK: %[[B:.+]] = arith.muli %{{.+}}, %[[TWO]]
// CHECK: %[[GN1:.+]] = arith.addi %[[B]],
// CHECK: %[[GN:.+]] = arith.index_cast %[[GN1]]
// CHECK: "test.use"(%[[N]], %[[G]], %[[GN]])
func.func @rank_coordinates() -> () attributes {commir.topology = @grid} {
  %0 = commir.rank_coord {node}
  %1 = commir.rank_coord {gpu}
  %2 = commir.rank_coord {gpu, node}
  "test.use"(%0, %1, %2) : (index, index, index) -> ()
  return
}

// Memory comes from the context, with its bytes and class; a function whose
// allocation fails returns its status.
//
// CHECK-LABEL: func.func @allocation(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr) -> i32 {
// CHECK-DAG: %[[NULL:.+]] = llvm.mlir.zero : !llvm.ptr
// CHECK-DAG: %[[BYTES:.+]] = arith.constant 32 : i64
// CHECK-DAG: %[[TRAVELLING:.+]] = arith.constant 1 : i32
// CHECK: %[[M:.+]] = call @mercury_alloc(%[[X]], %[[BYTES]], %[[TRAVELLING]], %{{.+}})
// CHECK: %[[FAILED:.+]] = llvm.icmp "eq" %[[M]], %[[NULL]]
// CHECK: cf.cond_br %[[FAILED]], ^[[END:.+]], ^[[GOON:[^ ]+]]
// CHECK: ^[[GOON]]:
// CHECK: call @ncclAllReduce(
// CHECK: call @mercury_free(%[[X]],
// CHECK: ^[[END]]:
// CHECK: %[[STATUS:.+]] = call @mercury_status(%[[X]])
// CHECK: return %[[STATUS]]
func.func @allocation() attributes {commir.topology = @ring} {
  %0 = memref.alloc() {commir.memory_class = "travelling"} : memref<8xf32>
  commir.all_reduce sum %0 over {gpu} : memref<8xf32>
  memref.dealloc %0 : memref<8xf32>
  return
}

// GROUPS-LABEL: func.func @all_to_all(
// GROUPS: call @ncclGroupStart()
// GROUPS-COUNT-4: call @ncclRecv(
// GROUPS: call @ncclGroupEnd()
// GROUPS-NOT: call @ncclGroupStart()
// GROUPS: call @mgpuStreamSynchronize(
func.func @all_to_all(%a: memref<4x8xf32>, %b: memref<4x8xf32>) attributes {commir.topology = @ring} {
  commir.all_to_all %a into %b over {gpu} : memref<4x8xf32> into memref<4x8xf32>
  return
}

// GROUPS-LABEL: func.func @all_to_all_of_many(
// GROUPS-COUNT-3: call @ncclGroupStart()
// GROUPS-NOT: call @ncclGroupStart()
// GROUPS: call @mgpuStreamSynchronize(
func.func @all_to_all_of_many(%a: memref<300x2xf32>, %b: memref<300x2xf32>) attributes {commir.topology = @many} {
  commir.all_to_all %a into %b over {gpu} : memref<300x2xf32> into memref<300x2xf32>
  return
}

// A host checks at once; with what is known of the keys, -1 is nothing.
//
// CHECK-LABEL: func.func @documents(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr, %[[L:[^ ]+]]: !llvm.ptr, %[[S:[^ ]+]]: !llvm.ptr)
// CHECK-DAG: %[[NULL:.+]] = llvm.mlir.zero : !llvm.ptr
// CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-DAG: %[[THREE:.+]] = arith.constant 3 : i64
// CHECK-DAG: %[[KEYS:.+]] = arith.constant 32 : i64
// CHECK-DAG: %[[NONE:.+]] = arith.constant -1 : i64
// CHECK-DAG: %[[WHERE:.+]] = llvm.mlir.addressof @[[LENGTHS]]
// CHECK: call @mercury_check_documents(%[[X]], %[[NULL]], %{{.+}}, %[[ONE]], %[[THREE]], %[[KEYS]], %{{.+}}, %[[WHERE]])
// CHECK: call @mercury_check_documents(%[[X]], %[[NULL]], %{{.+}}, %{{.+}}, %{{.+}}, %[[NONE]], %{{.+}}, %{{.+}})
func.func @documents(%l: memref<3xi32>, %s: memref<2x4x8xi32>) attributes {commir.topology = @ring} {
  commir.check_documents lengths(%l : memref<3xi32>) keys 32
  commir.check_documents segments(%s : memref<2x4x8xi32>)
  return
}
