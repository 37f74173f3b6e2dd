// RUN: mercury-opt %s --mercury-verify-communication --verify-diagnostics
//
// What must pass, beside verify-communication-shipped.mlir.

commir.topology @four levels [#commir.level<gpu, 4>]
commir.topology @eight levels [#commir.level<gpu, 8>]
commir.topology @wide levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
commir.topology @cube levels [#commir.level<pp, 2>, #commir.level<cp, 2>, #commir.level<tp, 2>]

// Every rank sends and receives in one group.
func.func @ring(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> attributes {commir.topology = @four} {
  %r = commir.rank_coord {gpu}
  %next = affine.apply affine_map<(d0) -> ((d0 + 1) mod 4)>(%r)
  %previous = affine.apply affine_map<(d0) -> ((d0 + 3) mod 4)>(%r)
  %0 = commir.permute %t into %e to %next from %previous over {gpu} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Rings on the ranks {4, 5, 6, 7} alone, and on {0, 2, 4, 6} and {1, 3, 5, 7}.
func.func @ring_on_one_group(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @wide} {
  %c1 = arith.constant 1 : index
  %node = commir.rank_coord {node}
  %second = arith.cmpi eq, %node, %c1 : index
  scf.if %second {
    commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  }
  return
}
func.func @ring_on_every_other_rank(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @eight} {
  commir.hop %a into %b by [#commir.hop<{gpu:(1)4} by 1>] : memref<8xf32> into memref<8xf32>
  return
}

// To the next pipeline stage and back: 4 ranks apart.
func.func @pipeline_stage(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> attributes {commir.topology = @cube} {
  %r = commir.rank_coord {pp, cp, tp}
  %other = affine.apply affine_map<(d0) -> ((d0 + 4) mod 8)>(%r)
  %0 = commir.permute %t into %e to %other from %other over {pp, cp, tp} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Two communicators that share ranks are in flight; what is sent is read, and
// what is written stands beside.
func.func @beside_what_is_in_flight(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<8xf32>, %d: memref<4x8xf32>) attributes {commir.topology = @wide} {
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<4x8xf32> into memref<4x8xf32>
  commir.all_reduce sum %c over {node} request 1 : memref<8xf32>
  memref.copy %a, %d : memref<4x8xf32> to memref<4x8xf32>
  commir.wait 1 for %c : memref<8xf32>
  commir.wait 0 for %a, %b : memref<4x8xf32>, memref<4x8xf32>
  return
}

// Calls, branches between blocks, and loops by condition are followed.
func.func private @hops(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @four} {
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 7 : memref<8xf32> into memref<8xf32>
  commir.wait 7 for %a, %b : memref<8xf32>, memref<8xf32>
  return
}
func.func @control_flow(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @four} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  cf.br ^head(%c0, %a, %b : index, memref<8xf32>, memref<8xf32>)
^head(%i: index, %x: memref<8xf32>, %y: memref<8xf32>):
  func.call @hops(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %j, %c3 : index
  cf.cond_br %more, ^head(%j, %y, %x : index, memref<8xf32>, memref<8xf32>), ^exit
^exit:
  %0 = scf.while (%k = %c0) : (index) -> index {
    %again = arith.cmpi ult, %k, %c3 : index
    scf.condition(%again) %k : index
  } do {
  ^bb0(%k: index):
    commir.all_reduce max %a over {gpu} : memref<8xf32>
    %l = arith.addi %k, %c1 : index
    scf.yield %l : index
  }
  return
}
