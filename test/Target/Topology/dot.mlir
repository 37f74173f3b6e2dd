// Pictures: nodes as boxes with their devices, ports that are shared, what joins them.
// RUN: split-file %s %t
// RUN: mercury-translate --topology-to-dot %t/two-nodes.mlir | FileCheck %s
// RUN: mercury-translate --topology-to-dot %t/large.mlir | FileCheck %s --check-prefix=LARGE
// RUN: mercury-translate --topology-to-dot %t/program.mlir | FileCheck %s --check-prefix=PROGRAM
// RUN: not mercury-translate --topology-to-dot %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: graph "two_nodes" {
// CHECK: label="two_nodes: 2 node x 2 gpu"
// CHECK: subgraph cluster_node_0 {
// CHECK-NEXT: label="node 0"
// CHECK-NEXT: rank0 [shape=box, {{.*}}label="rank 0\nh100 \"sxm\"\n80 GB"];
// CHECK-NEXT: rank1
// CHECK-NEXT: link_gpu_0 [{{.*}}label="NVLink port\n2.2 us\nadds in the switch"];
// CHECK-NEXT: port_node_0 [shape=component, label="card"];
// CHECK-NEXT: }
// CHECK: subgraph cluster_node_2 {
// CHECK: link_node_0 [{{.*}}label="card\none direction at a time"];
// CHECK: rank0 -- port_node_0;
// CHECK-NEXT: port_node_0 -- link_node_0 [label="12 GB/s"];
// CHECK-NEXT: rank1 -- port_node_0;
// CHECK: rank0 -- link_gpu_0 [label="366 GB/s"];
// CHECK: rank3 -- link_gpu_2 [label="366 GB/s"];
// CHECK-NEXT: }

// Of 16 racks with 8 nodes three are drawn, of each three nodes. Switches of one
// network are joined to each other. A level of one coordinate has no link.
// LARGE-COUNT-2: "... 5 more"
// LARGE: "... 13 more"
// LARGE: "... 5 more"
// LARGE: subgraph cluster_node_127 {
// LARGE: link_node_0 -- link_rack_0 [label="48 GB/s"];
// LARGE-NOT: link_gpu
// LARGE: rank0 -- link_node_0 [label="48 GB/s"];
// LARGE-NOT: link_gpu

// NONE: error: there is no commir.topology to draw

// The machine of a program is drawn as that of a file of its own.
// PROGRAM: graph "small" {
// PROGRAM: label="small: 2 gpu"

//--- two-nodes.mlir
commir.topology @two_nodes levels [
  #commir.level<node, 2, bandwidth 1.2e10, half_duplex, domain "card">,
  #commir.level<gpu, 2, bandwidth 3.66e11, latency 2.2e-6, in_switch_reduction, domain "NVLink port", shared_by 1>
] device <name "h100 \"sxm\"", memory 80000000000>

//--- large.mlir
commir.topology @large levels [
  #commir.level<rack, 16, bandwidth 4.8e10, domain "network", shared_by 1>,
  #commir.level<node, 8, bandwidth 4.8e10, domain "network", shared_by 1>,
  #commir.level<gpu, 1, bandwidth 3.66e11>
]

//--- none.mlir
module {}
//--- program.mlir
commir.topology @small levels [#commir.level<gpu, 2>]
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
