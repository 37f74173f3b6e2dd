// Ranks hold no more than a program may reserve of the topology's device, their
// arguments and results included.
// RUN: sh -c 'mercury-run %examples_dir/attention-memory.mlir --enforce-memory --schedule=context_parallel 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=GATHERED
// GATHERED: mercury-run: error: {{.*}}rank {{[0-3]}} asked for {{[0-9]+}} bytes ({{staging|workspace}}), holds {{[0-9]+}} of 6291456
// GATHERED: exit 3

// RUN: mercury-run %examples_dir/attention-memory.mlir --enforce-memory --schedule=ring --verify | FileCheck %s --check-prefix=RING
// RING: ring {{.*}} verified

// All of the memory where nothing is said of what can be reserved.
// RUN: sh -c 'mercury-run %s --topology=@all --enforce-memory --local=loops 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=ALL
// ALL: rank {{[01]}} asked for 32 bytes (own shard), holds 64 of 90
// ALL: exit 3
// RUN: mercury-run %s --topology=@enough --enforce-memory --local=loops --verify | FileCheck %s --check-prefix=ENOUGH
// ENOUGH: gpu=2) {{.*}} verified

// RUN: sh -c 'mercury-run %s --topology=gpu=2 --enforce-memory 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --enforce-memory: the topology of @add does not say how much memory its device has; write device <memory BYTES> into it
// UNKNOWN: exit 2
// RUN: sh -c 'mercury-run %s --topology=@all --enforce-memory --memory-limit=8 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=BOTH
// BOTH: error: --enforce-memory takes the limit from the topology, --memory-limit gives another one
// BOTH: exit 2

commir.topology @all levels [#commir.level<gpu, 2>] device <memory 90>
commir.topology @enough levels [#commir.level<gpu, 2>] device <memory 90000, reservable 96>

func.func @add(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.add ins(%a, %b : tensor<16xf32>, tensor<16xf32>)
                  outs(%e : tensor<16xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
