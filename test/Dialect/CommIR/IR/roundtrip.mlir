// Every op and attribute survives printing and parsing, as text and as bytecode.
// RUN: mercury-opt %s | mercury-opt | FileCheck %s
// RUN: mercury-opt %s --emit-bytecode | mercury-opt | FileCheck %s
// RUN: mercury-opt %s --mlir-print-op-generic | mercury-opt | FileCheck %s

module {

// CHECK: commir.topology @two_nodes levels [#commir.level<node, 2, bandwidth 5.0e+10, latency 5.0e-06, domain "the \22node\22 port", primitives [send_recv, all_gather, reduce_scatter, all_reduce, all_to_all, broadcast]>, #commir.level<gpu, 4>]
// CHECK-SAME: device <memory 80000000000, reservable 76000000000, bandwidth 3.35e+12, peak {bf16 = 9.89e+14, f32 = 6.7e+13}>
commir.topology @two_nodes levels [
  #commir.level<node, 2, bandwidth 5.0e10, latency 5.0e-06, domain "the \"node\" port",
    primitives [send_recv, all_gather, reduce_scatter, all_reduce, all_to_all, broadcast]>,
  #commir.level<gpu, 4>
] device <memory 80000000000, reservable 76000000000, bandwidth 3.35e12,
          peak {bf16 = 9.89e+14, f32 = 67000000000000}>

// CHECK-LABEL: func.func @placements(
// CHECK-SAME: commir.placement = #commir.placement<[{node, gpu}, {}]>
// CHECK-SAME: -> (tensor<16x8xf32> {commir.placement = #commir.placement<[{}, {gpu:(1)2, node, gpu:(2)2}]>})
func.func @placements(%0: tensor<16x8xf32> {commir.placement = #commir.placement<[{node, gpu}, {}]>})
    -> (tensor<16x8xf32> {commir.placement = #commir.placement<[{}, {gpu:(1)2, node, gpu:(2)2}]>}) {
  // CHECK: commir.shard %{{.*}} to [{node, gpu}, {}] : tensor<16x8xf32>
  %1 = commir.shard %0 to [{node, gpu}, {}] : tensor<16x8xf32>
  // CHECK: commir.shard %{{.*}} to [{gpu}, {node}] fetch {node} : tensor<16x8xf32>
  %2 = commir.shard %0 to [{gpu}, {node}] fetch {node} : tensor<16x8xf32>
  // CHECK: commir.replicate %{{.*}} : tensor<16x8xf32>
  %3 = commir.replicate %1 : tensor<16x8xf32>
  // CHECK: commir.reshard %{{.*}} to [{}, {gpu:(1)2, node, gpu:(2)2}] fetch {gpu:(2)2, node} : tensor<16x8xf32>
  %4 = commir.reshard %2 to [{}, {gpu:(1)2, node, gpu:(2)2}] fetch {gpu:(2)2, node} : tensor<16x8xf32>
  // CHECK: commir.reshard %{{.*}} to [{}, {}] : tensor<16x8xf32>
  %5 = commir.reshard %3 to [{}, {}] : tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}

// Tensors without dimensions and with dynamic ones have placements as well.
// CHECK-LABEL: func.func @placements_of_any_rank
func.func @placements_of_any_rank(%0: tensor<f32>, %1: tensor<?x8xf32>)
    -> (tensor<f32>, tensor<?x8xf32>) {
  // CHECK: commir.shard %{{.*}} to [] : tensor<f32>
  %2 = commir.shard %0 to [] : tensor<f32>
  // CHECK: commir.shard %{{.*}} to [{gpu}, {}] : tensor<?x8xf32>
  %3 = commir.shard %1 to [{gpu}, {}] : tensor<?x8xf32>
  return %2, %3 : tensor<f32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @loops
func.func @loops(%t: index, %r: index) -> (index, index, index) {
  // CHECK: commir.shift %{{.*}} by %{{.*}} mod 4
  %0 = commir.shift %t by %r mod 4
  // CHECK: commir.shift %{{.*}} by %{{.*}} stride -1 mod 4
  %1 = commir.shift %t by %r stride -1 mod 4
  // CHECK: commir.rank_coord {node, gpu:(2)2}
  %2 = commir.rank_coord {node, gpu:(2)2}
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: func.func @rank_loop
func.func @rank_loop(%0: tensor<8xf32>) -> tensor<8xf32> {
  %1 = scf.forall (%n, %g) in (2, 4) shared_outs(%o = %0) -> (tensor<8xf32>) {
    scf.forall.in_parallel {}
  // CHECK: {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
  } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
  %2 = scf.forall (%g) in (2) shared_outs(%o = %1) -> (tensor<8xf32>) {
    scf.forall.in_parallel {}
  // CHECK: {mapping = [#commir.axis<gpu:(2)2>]}
  } {mapping = [#commir.axis<gpu:(2)2>]}
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @collectives
func.func @collectives(%0: tensor<2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // CHECK: commir.all_gather %{{.*}} into %{{.*}} over {gpu} : tensor<2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  %2 = commir.all_gather %0 into %1 over {gpu} : tensor<2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  // CHECK: commir.reduce_scatter sum %{{.*}} into %{{.*}} over {gpu} : tensor<4x2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  %3 = commir.reduce_scatter sum %1 into %0 over {gpu} : tensor<4x2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  // CHECK: commir.all_to_all %{{.*}} into %{{.*}} over {gpu} : tensor<4x2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  %4 = commir.all_to_all %2 into %1 over {gpu} : tensor<4x2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  // CHECK: commir.broadcast %{{.*}} into %{{.*}} from %{{.*}} over {gpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  %5 = commir.broadcast %0 into %3 from %i over {gpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  // CHECK: commir.permute %{{.*}} into %{{.*}} to %{{.*}} from %{{.*}} over {node, gpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  %6 = commir.permute %0 into %5 to %i from %i over {node, gpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  // CHECK: commir.all_reduce prod %{{.*}} over {gpu} : tensor<2x8xf32> -> tensor<2x8xf32>
  %7 = commir.all_reduce prod %6 over {gpu} : tensor<2x8xf32> -> tensor<2x8xf32>
  // CHECK: commir.all_reduce max %{{.*}} over {gpu:(1)2}
  %8 = commir.all_reduce max %7 over {gpu:(1)2} : tensor<2x8xf32> -> tensor<2x8xf32>
  // CHECK: commir.all_reduce min %{{.*}} over {gpu}
  %9 = commir.all_reduce min %8 over {gpu} : tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// CHECK-LABEL: func.func @collectives_on_scalars_of_ranks
func.func @collectives_on_scalars_of_ranks(%0: tensor<f32>, %1: tensor<4xf32>) {
  // CHECK: commir.all_gather {{.*}} : tensor<f32> into tensor<4xf32> -> tensor<4xf32>
  %2 = commir.all_gather %0 into %1 over {gpu} : tensor<f32> into tensor<4xf32> -> tensor<4xf32>
  // CHECK: commir.all_reduce sum {{.*}} : tensor<f32> -> tensor<f32>
  %3 = commir.all_reduce sum %0 over {gpu} : tensor<f32> -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @collectives_on_buffers
func.func @collectives_on_buffers(%0: memref<2x8xf32>, %1: memref<4x2x8xf32>, %i: index) {
  // CHECK: commir.all_gather %{{.*}} into %{{.*}} over {gpu} : memref<2x8xf32> into memref<4x2x8xf32>
  commir.all_gather %0 into %1 over {gpu} : memref<2x8xf32> into memref<4x2x8xf32>
  // CHECK: commir.reduce_scatter max %{{.*}} into %{{.*}} over {gpu} request 1 : memref<4x2x8xf32> into memref<2x8xf32>
  commir.reduce_scatter max %1 into %0 over {gpu} request 1 : memref<4x2x8xf32> into memref<2x8xf32>
  // CHECK: commir.wait 1 for %{{.*}}, %{{.*}} : memref<4x2x8xf32>, memref<2x8xf32>
  commir.wait 1 for %1, %0 : memref<4x2x8xf32>, memref<2x8xf32>
  // CHECK: commir.all_to_all %{{.*}} into %{{.*}} over {gpu} request 2
  commir.all_to_all %1 into %1 over {gpu} request 2 : memref<4x2x8xf32> into memref<4x2x8xf32>
  // CHECK: commir.wait 2{{$}}
  commir.wait 2
  // CHECK: commir.broadcast %{{.*}} into %{{.*}} from %{{.*}} over {gpu} request 3
  commir.broadcast %0 into %0 from %i over {gpu} request 3 : memref<2x8xf32> into memref<2x8xf32>
  // CHECK: commir.permute %{{.*}} into %{{.*}} to %{{.*}} from %{{.*}} over {gpu} request 4
  commir.permute %0 into %0 to %i from %i over {gpu} request 4 : memref<2x8xf32> into memref<2x8xf32>
  // CHECK: commir.all_reduce sum %{{.*}} over {gpu} request 5 : memref<2x8xf32>
  commir.all_reduce sum %0 over {gpu} request 5 : memref<2x8xf32>
  // CHECK: commir.hop %{{.*}} into %{{.*}} by [#commir.hop<{gpu} by 1>] : memref<2x8xf32> into memref<2x8xf32>
  commir.hop %0 into %0 by [#commir.hop<{gpu} by 1>] : memref<2x8xf32> into memref<2x8xf32>
  // CHECK: commir.hop %{{.*}}, %{{.*}} into %{{.*}}, %{{.*}} by [#commir.hop<{gpu} by 1>, #commir.hop<{node, gpu} by -3>] request 6
  commir.hop %0, %1 into %0, %1 by [#commir.hop<{gpu} by 1>, #commir.hop<{node, gpu} by -3>] request 6
      : memref<2x8xf32>, memref<4x2x8xf32> into memref<2x8xf32>, memref<4x2x8xf32>
  return
}

// CHECK-LABEL: func.func @collective_on_part_of_a_buffer
func.func @collective_on_part_of_a_buffer(%0: memref<2x8xf32, strided<[8, 1], offset: ?>>) {
  // CHECK: commir.all_reduce sum %{{.*}} over {gpu} : memref<2x8xf32, strided<[8, 1], offset: ?>>
  commir.all_reduce sum %0 over {gpu} : memref<2x8xf32, strided<[8, 1], offset: ?>>
  return
}

// CHECK-LABEL: func.func @rotate
func.func @rotate(%k: tensor<4x8xf32>, %c: tensor<4x8xf32>, %s: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: commir.rotate steps 4
  // CHECK-SAME: travel(%{{[a-z0-9]+}} : tensor<4x8xf32>)
  // CHECK-SAME: carry(%{{[a-z0-9]+}} : tensor<4x8xf32>)
  // CHECK-SAME: state(%{{[a-z0-9]+}} : tensor<4x8xf32>)
  // CHECK-SAME: by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by -1>]
  // CHECK-SAME: -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %0:2 = commir.rotate steps 4 travel(%k : tensor<4x8xf32>)
           carry(%c : tensor<4x8xf32>) state(%s : tensor<4x8xf32>)
           by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by -1>]
           -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: ^bb0(%{{.*}}: index, %{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<4x8xf32>):
  ^bb0(%step: index, %kt: tensor<4x8xf32>, %ct: tensor<4x8xf32>, %st: tensor<4x8xf32>):
    %1 = linalg.add ins(%kt, %ct : tensor<4x8xf32>, tensor<4x8xf32>)
           outs(%ct : tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: commir.rotate_yield %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
    commir.rotate_yield %1, %st : tensor<4x8xf32>, tensor<4x8xf32>
  // CHECK: } combine {
  } combine {
  ^bb0(%here: tensor<4x8xf32>, %more: tensor<4x8xf32>):
    %1 = linalg.add ins(%here, %more : tensor<4x8xf32>, tensor<4x8xf32>)
           outs(%here : tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: commir.rotate_yield %{{.*}} : tensor<4x8xf32>
    commir.rotate_yield %1 : tensor<4x8xf32>
  }
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @rotate_without_operands
func.func @rotate_without_operands() {
  // CHECK: commir.rotate steps 1 by [] {
  commir.rotate steps 1 by [] {
  ^bb0(%step: index):
    // CHECK: commir.rotate_yield{{$}}
    commir.rotate_yield
  }
  return
}

// CHECK-LABEL: func.func @rotate_on_buffers
func.func @rotate_on_buffers(%k: memref<4x8xf32>, %c: memref<4x8xf32>, %s: memref<4x8xf32, strided<[16, 1]>>,
                             %k1: memref<4x8xf32>, %k2: memref<4x8xf32>,
                             %c1: memref<4x8xf32>, %c2: memref<4x8xf32>) {
  // CHECK: commir.rotate steps 4
  // CHECK-SAME: scratch(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
  commir.rotate steps 4 travel(%k : memref<4x8xf32>)
      carry(%c : memref<4x8xf32>) state(%s : memref<4x8xf32, strided<[16, 1]>>)
      scratch(%k1, %k2, %c1, %c2 : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
      by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by -1>] {
  ^bb0(%step: index):
    // CHECK: commir.rotate_tile 0 : memref<4x8xf32>
    %0 = commir.rotate_tile 0 : memref<4x8xf32>
    // CHECK: commir.rotate_tile 1 : memref<4x8xf32>
    %1 = commir.rotate_tile 1 : memref<4x8xf32>
    memref.copy %0, %1 : memref<4x8xf32> to memref<4x8xf32>
    // CHECK: commir.rotate_arrive
    commir.rotate_arrive
    // CHECK: commir.rotate_tile 1 arrived : memref<4x8xf32>
    %2 = commir.rotate_tile 1 arrived : memref<4x8xf32>
    memref.copy %1, %2 : memref<4x8xf32> to memref<4x8xf32>
    commir.rotate_yield
  }
  return
}

// CHECK-LABEL: func.func @schedule
func.func @schedule(%a: tensor<16x8xf32>, %b: tensor<8x32xf32>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // A schedule is printed in its canonical form; the kernel's name is quoted
  // where it is no word.
  // CHECK: linalg.matmul {commir.patch = "blas", commir.schedule = #commir.schedule<"loops [time {gpu} shift {gpu} stride -1 offset 2 order 1, rank {node, gpu}, time 4] inputs {{\[\[}}{gpu}, {}] -> [{}, {}], {{\[}}{}, {}] fetch {node}] results {{\[\[}}{}, {node, gpu}] -> [{}, {}]] tile [8, 8, 8] chunks 2 patch \22a b\22 ranks gpu 0 to 2">}
  %0 = linalg.matmul {commir.patch = "blas",
      commir.schedule = #commir.schedule<"loops [time {gpu} shift {gpu} stride -1 offset 2 order 1, rank {node,gpu}, time 4 order 0] inputs [[{gpu}, {}] -> [{}, {}], [{}, {}] fetch node] results [[{}, {node, gpu}] -> [{}, {}]] tile [8, 8, 8] chunks 2 patch \"a b\" ranks gpu 0 to 2">}
      ins(%a, %b : tensor<16x8xf32>, tensor<8x32xf32>) outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// CHECK-LABEL: func.func @tile
func.func @tile(%a: tensor<16x8xf32>, %c: memref<16x8xf32>) -> tensor<16x8xf32> {
  // CHECK: linalg.exp {commir.tile = array<i64: 4, 0>}
  %0 = linalg.exp {commir.tile = array<i64: 4, 0>} ins(%a : tensor<16x8xf32>) outs(%a : tensor<16x8xf32>) -> tensor<16x8xf32>
  // CHECK: linalg.exp {commir.tile = array<i64: 0, 8>}
  linalg.exp {commir.tile = array<i64: 0, 8>} ins(%c : memref<16x8xf32>) outs(%c : memref<16x8xf32>)
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @attributes
// CHECK-SAME: commir.global_type = tensor<16x8xf32>
// CHECK-SAME: commir.result
// CHECK-SAME: attributes {commir.requirements = "{}", commir.topology = @two_nodes}
func.func @attributes(%0: memref<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.result})
    attributes {commir.requirements = "{}", commir.topology = @two_nodes} {
  // CHECK: memref.alloc() {commir.memory_class = "travelling", commir.memory_owner = 0 : i32}
  %1 = memref.alloc() {commir.memory_class = "travelling", commir.memory_owner = 0 : i32} : memref<4x8xf32>
  return
}
}
