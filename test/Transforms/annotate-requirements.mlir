// What each communication puts on the links of each congestion domain.
// RUN: mercury-opt %s --split-input-file --mercury-annotate-requirements | FileCheck %s

// Two nodes, whose two ranks share a port; 1e9 operations a second.
commir.topology @machine levels [
  #commir.level<node, 2, bandwidth 1.0e+09, domain "port">,
  #commir.level<gpu, 2, bandwidth 8.0e+09>
] device <peak {f32 = 1.0e+09}>

// A flat ring. Of the two ranks of a node one sends 128 bytes to the other node,
// one to its neighbour: 128 bytes on the port, 128 on a rank's own link. A step's
// 256 multiply-adds take 512 ns: 128 bytes are hidden above 2.5e8 bytes/s.
//
// CHECK-LABEL: func.func @flat_ring(
// CHECK-SAME: \22axes\22:[\22node\22,\22gpu\22],\22bytes_per_step\22:128,\22domains\22:[
// CHECK-SAME: {\22bytes_per_step\22:128,\22domain\22:\22port\22,\22hidden_above_bytes_per_second\22:250000000,\22levels\22:[\22node\22]},
// CHECK-SAME: {\22bytes_per_step\22:128,\22domain\22:\22gpu\22,\22hidden_above_bytes_per_second\22:250000000,\22levels\22:[\22gpu\22]}],
// CHECK-SAME: \22kind\22:\22rotate\22,\22multiply_adds_per_step\22:256,\22steps\22:3}
func.func @flat_ring(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @machine} {
  %0 = commir.rotate steps 4 travel(%a : tensor<8x4xf32>) state(%c : tensor<8x8xf32>) by [#commir.hop<{node, gpu} by 1>] -> (tensor<8x8xf32>) {
  ^bb0(%t: index, %at: tensor<8x4xf32>, %ct: tensor<8x8xf32>):
    %1 = linalg.matmul ins(%at, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%ct : tensor<8x8xf32>) -> tensor<8x8xf32>
    commir.rotate_yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// Two places on: always to the other node, and both ranks at once. 256 bytes on the
// port, none between the ranks of a node.
//
// CHECK-LABEL: func.func @to_the_other_node(
// CHECK-SAME: \22domains\22:[{\22bytes_per_step\22:256,\22domain\22:\22port\22,\22hidden_above_bytes_per_second\22:500000000,\22levels\22:[\22node\22]}],\22kind\22:\22rotate\22
func.func @to_the_other_node(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @machine} {
  %0 = commir.rotate steps 2 travel(%a : tensor<8x4xf32>) state(%c : tensor<8x8xf32>) by [#commir.hop<{node, gpu} by 2>] -> (tensor<8x8xf32>) {
  ^bb0(%t: index, %at: tensor<8x4xf32>, %ct: tensor<8x8xf32>):
    %1 = linalg.matmul ins(%at, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%ct : tensor<8x8xf32>) -> tensor<8x8xf32>
    commir.rotate_yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// A ring of rings: a step of the outer one computes for two of the inner one, and
// its two ranks share the port.
//
// CHECK-LABEL: func.func @ring_of_rings(
// CHECK-SAME: {\22axes\22:[\22gpu\22],\22bytes_per_step\22:128,\22domains\22:[{\22bytes_per_step\22:128,\22domain\22:\22gpu\22,\22hidden_above_bytes_per_second\22:250000000,\22levels\22:[\22gpu\22]}],\22kind\22:\22rotate\22,\22multiply_adds_per_step\22:256,\22steps\22:2}
// CHECK-SAME: {\22axes\22:[\22node\22],\22bytes_per_step\22:128,\22domains\22:[{\22bytes_per_step\22:256,\22domain\22:\22port\22,\22hidden_above_bytes_per_second\22:250000000,\22levels\22:[\22node\22]}],\22kind\22:\22rotate\22,\22multiply_adds_per_step\22:512,\22steps\22:1}
func.func @ring_of_rings(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @machine} {
  %0 = commir.rotate steps 2 travel(%a : tensor<8x4xf32>) state(%c : tensor<8x8xf32>) by [#commir.hop<{node} by 1>] -> (tensor<8x8xf32>) {
  ^bb0(%t: index, %at: tensor<8x4xf32>, %ct: tensor<8x8xf32>):
    %1 = commir.rotate steps 2 travel(%at : tensor<8x4xf32>) state(%ct : tensor<8x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<8x8xf32>) {
    ^bb0(%u: index, %au: tensor<8x4xf32>, %cu: tensor<8x8xf32>):
      %2 = linalg.matmul ins(%au, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%cu : tensor<8x8xf32>) -> tensor<8x8xf32>
      commir.rotate_yield %2 : tensor<8x8xf32>
    }
    commir.rotate_yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// Collectives count as rings, an exchange sends a part to each rank: two of four
// parts to the other node from each of two ranks. No step computes meanwhile.
//
// CHECK-LABEL: func.func @collectives(
// CHECK-SAME: \22bytes_per_step\22:96,\22domains\22:[{\22bytes_per_step\22:96,\22domain\22:\22port\22,\22levels\22:[\22node\22]},{\22bytes_per_step\22:96,\22domain\22:\22gpu\22,\22levels\22:[\22gpu\22]}],\22kind\22:\22all_gather\22,\22steps\22:1}
// CHECK-SAME: \22bytes_per_step\22:96,\22domains\22:[{\22bytes_per_step\22:128,\22domain\22:\22port\22,\22levels\22:[\22node\22]},{\22bytes_per_step\22:32,\22domain\22:\22gpu\22,\22levels\22:[\22gpu\22]}],\22kind\22:\22all_to_all\22,\22steps\22:1}
func.func @collectives(%a: tensor<8xf32>) -> tensor<4x8xf32> attributes {commir.topology = @machine} {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = commir.all_gather %a into %e over {node, gpu} : tensor<8xf32> into tensor<4x8xf32> -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %1 = commir.all_to_all %0 into %f over {node, gpu} : tensor<4x8xf32> into tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// A tile that is fetched comes ahead of its step and hides behind it; a fetch may
// cross every level of its axes.
//
// CHECK-LABEL: func.func @fetched_each_step(
// CHECK-SAME: \22domains\22:[{\22bytes_per_step\22:256,\22domain\22:\22port\22,\22hidden_above_bytes_per_second\22:500000000,\22levels\22:[\22node\22]},{\22bytes_per_step\22:128,\22domain\22:\22gpu\22,\22hidden_above_bytes_per_second\22:250000000,\22levels\22:[\22gpu\22]}],\22kind\22:\22permute\22,\22multiply_adds_per_step\22:256,\22steps\22:4}
func.func @fetched_each_step(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @machine} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %c) -> (tensor<8x8xf32>) {
    %r = commir.rank_coord {node, gpu}
    %to = affine.apply affine_map<(t)[r] -> ((3 * t + r) mod 4)>(%t)[%r]
    %from = affine.apply affine_map<(t)[r] -> ((t + r) mod 4)>(%t)[%r]
    %e = tensor.empty() : tensor<8x4xf32>
    %at = commir.permute %a into %e to %to from %from over {node, gpu} : tensor<8x4xf32> into tensor<8x4xf32> -> tensor<8x4xf32>
    %1 = linalg.matmul ins(%at, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// Levels of one domain: their bytes add up on its port, which all ranks of a node
// share. Without the device's rate nothing says what is hidden.
commir.topology @one_switch levels [
  #commir.level<node, 2, domain "switch">,
  #commir.level<gpu, 2, domain "switch">
]

// CHECK-LABEL: func.func @one_domain(
// CHECK-SAME: \22domains\22:[{\22bytes_per_step\22:256,\22domain\22:\22switch\22,\22levels\22:[\22node\22,\22gpu\22]}],\22kind\22:\22rotate\22,\22multiply_adds_per_step\22:256,\22steps\22:3}
func.func @one_domain(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = commir.rotate steps 4 travel(%a : tensor<8x4xf32>) state(%c : tensor<8x8xf32>) by [#commir.hop<{node, gpu} by 1>] -> (tensor<8x8xf32>) {
  ^bb0(%t: index, %at: tensor<8x4xf32>, %ct: tensor<8x8xf32>):
    %1 = linalg.matmul ins(%at, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%ct : tensor<8x8xf32>) -> tensor<8x8xf32>
    commir.rotate_yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// A card for two of the four ranks of a node: a flat ring sends from one rank of the
// node that leaves it, an exchange from both of a card to four others.
commir.topology @two_cards levels [
  #commir.level<node, 2, domain "card", shared_by 2>,
  #commir.level<gpu, 4, domain "nvlink", shared_by 1>
]

// CHECK-LABEL: func.func @shared_by(
// CHECK-SAME: \22domains\22:[{\22bytes_per_step\22:256,\22domain\22:\22card\22,\22levels\22:[\22node\22]},{\22bytes_per_step\22:96,\22domain\22:\22nvlink\22,\22levels\22:[\22gpu\22]}],\22kind\22:\22all_to_all\22
func.func @shared_by(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = commir.all_to_all %a into %e over {node, gpu} : tensor<8x8xf32> into tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// What comes in takes the same port where it is not full duplex.
commir.topology @half levels [#commir.level<gpu, 4, half_duplex>]

// CHECK-LABEL: func.func @half_duplex(
// CHECK-SAME: \22domains\22:[{\22bytes_per_step\22:256,\22domain\22:\22gpu\22,
func.func @half_duplex(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = commir.rotate steps 4 travel(%a : tensor<8x4xf32>) state(%c : tensor<8x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<8x8xf32>) {
  ^bb0(%t: index, %at: tensor<8x4xf32>, %ct: tensor<8x8xf32>):
    %1 = linalg.matmul ins(%at, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%ct : tensor<8x8xf32>) -> tensor<8x8xf32>
    commir.rotate_yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}
