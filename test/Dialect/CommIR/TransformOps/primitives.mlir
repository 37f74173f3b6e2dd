// Each primitive edits the schedule of the operator it is given.
// RUN: mercury-opt %s -split-input-file -transform-interpreter | FileCheck %s
// RUN: mercury-opt %s -split-input-file | mercury-opt -split-input-file -transform-interpreter | FileCheck %s

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @tile
// CHECK: commir.schedule = #commir.schedule<"loops [time {gpu} / time 3 order 1, -, -] inputs {{\[\[}}{}, {}], {{\[}}{}, {}]] results {{\[\[}}{}, {}]]">
func.func @tile(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.tile %m loop 0 over {gpu} : !transform.any_op
    transform.commir.tile %m loop 0 steps 3 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @local_tile
// CHECK: commir.schedule = #commir.schedule<"loops [-, -, -] inputs {{\[\[}}{}, {}], {{\[}}{}, {}]] results {{\[\[}}{}, {}]] tile [0, 16, 4]">
func.func @local_tile(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.tile %m loop 1 size 16 : !transform.any_op
    transform.commir.tile %m loop 2 size 4 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @join
// CHECK: commir.schedule = #commir.schedule<"loops [rank {node, gpu}, -, -] inputs {{\[\[}}{node, gpu}, {}], {{\[}}{}, {}]] results {{\[\[}}{node, gpu}, {}]]">
func.func @join(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {node} : !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.commir.join %m loop 0 factor 0 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @reorder
// CHECK: commir.schedule = #commir.schedule<"loops [time 2 order 1, -, time 4] inputs
func.func @reorder(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.tile %m loop 0 steps 2 : !transform.any_op
    transform.commir.tile %m loop 2 steps 4 : !transform.any_op
    transform.commir.reorder %m loops [2, 0] factors [0, 0] : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @parallelize
// CHECK: commir.schedule = #commir.schedule<"loops [rank node, -, rank gpu] inputs {{\[\[}}{node}, {gpu}], {{\[}}{gpu}, {}]] results {{\[\[}}{node}, {}]]">
func.func @parallelize(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {node} : !transform.any_op
    transform.commir.parallelize %m loop 2 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @shard_and_replicate
// CHECK: commir.schedule = #commir.schedule<"loops [-, rank gpu, -] inputs {{\[\[}}{gpu}, {}] -> [{}, {}], {{\[}}{}, {gpu}]] results {{\[\[}}{}, {gpu}]]">
func.func @shard_and_replicate(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 1 over {gpu} : !transform.any_op
    transform.commir.shard %m input 0 dim 0 over {gpu} : !transform.any_op
    transform.commir.replicate %m input 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @shard_result
// CHECK: commir.schedule = #commir.schedule<"loops [-, -, rank gpu] inputs {{\[\[}}{}, {gpu}], {{\[}}{gpu}, {}]] results {{\[\[}}{gpu}, {}]]">
func.func @shard_result(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 2 over {gpu} : !transform.any_op
    transform.commir.shard_result %m result 0 dim 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @replicate_result
// CHECK: commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs {{\[\[}}{gpu}, {}], {{\[}}{}, {}]] results {{\[\[}}{gpu}, {}] -> [{}, {}]]">
func.func @replicate_result(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.commir.replicate_result %m result 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 3>]

// CHECK-LABEL: func.func @shift_and_fetch
// CHECK: commir.schedule = #commir.schedule<"loops [time {gpu} shift {gpu} stride -1 offset 2, rank gpu, -] inputs {{\[\[}}{gpu}, {}] fetch {gpu}, {{\[}}{}, {gpu}]] results {{\[\[}}{}, {gpu}]]">
func.func @shift_and_fetch(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 1 over {gpu} : !transform.any_op
    transform.commir.tile %m loop 0 over {gpu} : !transform.any_op
    transform.commir.shard %m input 0 dim 0 over {gpu} : !transform.any_op
    transform.commir.shift %m loop 0 factor 0 over {gpu} stride -1 offset 2 : !transform.any_op
    transform.commir.fetch %m input 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @patch
// CHECK: commir.schedule = #commir.schedule<"loops [-, -, -] inputs {{\[\[}}{}, {}], {{\[}}{}, {}]] results {{\[\[}}{}, {}]] patch blas">
func.func @patch(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.patch %m kernel "blas" : !transform.any_op
    transform.yield
  }
}

// -----

// A script may go on from a schedule that is there, and serves several ops.

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK-LABEL: func.func @edit_present
// CHECK: linalg.matmul {commir.schedule = #commir.schedule<"loops [rank node, rank gpu, -] inputs {{\[\[}}{node}, {}], {{\[}}{}, {gpu}]] results {{\[\[}}{node}, {gpu}]]">}
// CHECK: linalg.matmul {commir.schedule = #commir.schedule<"loops [-, rank gpu, -] inputs {{\[\[}}{}, {}], {{\[}}{}, {gpu}]] results {{\[\[}}{}, {gpu}]]">}
func.func @edit_present(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> (tensor<12x16xf32>, tensor<12x16xf32>) {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank node, -, -] inputs [[{node}, {}], [{}, {}]] results [[{node}, {}]]">}
         ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0, %1 : tensor<12x16xf32>, tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 1 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @bidirectional
// CHECK: commir.schedule = #commir.schedule<"loops [-, rank gpu, time {gpu} shift {gpu} bidirectional] inputs {{\[\[}}{}, {gpu}, {}], {{\[}}{}, {gpu}, {}], {{\[}}{}, {gpu}, {}]] results {{\[\[}}{}, {gpu}, {}], {{\[}}{}, {gpu}], {{\[}}{}, {gpu}]]">
func.func @bidirectional(%q: tensor<8x16x4xf32>, %k: tensor<8x16x4xf32>, %v: tensor<8x16x4xf32>, %a: tensor<8x16x4xf32>, %r: tensor<8x16xf32>) -> tensor<8x16x4xf32> {
  %0:3 = commir.online_attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>,
      affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>]
      ins(%q, %k, %v : tensor<8x16x4xf32>, tensor<8x16x4xf32>, tensor<8x16x4xf32>)
      outs(%a, %r, %r : tensor<8x16x4xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16x4xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  return %0#0 : tensor<8x16x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["commir.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 1 over {gpu} : !transform.any_op
    transform.commir.tile %m loop 2 over {gpu} : !transform.any_op
    transform.commir.shard %m input 1 dim 1 over {gpu} : !transform.any_op
    transform.commir.shard %m input 2 dim 1 over {gpu} : !transform.any_op
    transform.commir.shift %m loop 2 factor 0 over {gpu} : !transform.any_op
    transform.commir.bidirectional %m loop 2 factor 0 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @arrange
// CHECK: commir.schedule = #commir.schedule<"loops [time {gpu} shift {gpu} backwards, rank gpu, -] tokens [striped 2 by 3, zigzag 4, -] inputs {{\[\[}}{gpu} striped 2 by 3, {}], {{\[}}{}, {gpu} zigzag 4]] results {{\[\[}}{} striped 2 by 3, {gpu} zigzag 4] -> [{}, {gpu} zigzag 4]]">
func.func @arrange(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 1 over {gpu} : !transform.any_op
    transform.commir.tile %m loop 0 over {gpu} : !transform.any_op
    transform.commir.shard %m input 0 dim 0 over {gpu} : !transform.any_op
    transform.commir.shift %m loop 0 factor 0 over {gpu} : !transform.any_op
    transform.commir.backwards %m loop 0 factor 0 : !transform.any_op
    transform.commir.arrange %m loop 0 as "striped 2 by 3" : !transform.any_op
    transform.commir.arrange %m loop 1 as "zigzag 4" : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @shard_exit
// CHECK: commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs {{.*}} results {{\[\[}}{gpu}, {}, {}] -> [{}, {gpu}, {}], {{\[}}{gpu}, {}], {{\[}}{gpu}, {}]]">
func.func @shard_exit(%q: tensor<8x16x4xf32>, %k: tensor<8x16x4xf32>, %v: tensor<8x16x4xf32>, %a: tensor<8x16x4xf32>, %r: tensor<8x16xf32>) -> tensor<8x16x4xf32> {
  %0:3 = commir.online_attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>,
      affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>]
      ins(%q, %k, %v : tensor<8x16x4xf32>, tensor<8x16x4xf32>, tensor<8x16x4xf32>)
      outs(%a, %r, %r : tensor<8x16x4xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16x4xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  return %0#0 : tensor<8x16x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["commir.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.commir.shard_exit %m result 0 dim 1 over {gpu} : !transform.any_op
    transform.yield
  }
}
