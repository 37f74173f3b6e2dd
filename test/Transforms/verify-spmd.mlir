// RUN: mercury-opt %s --mercury-verify-spmd --verify-diagnostics

commir.topology @mesh levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

//===----------------------------------------------------------------------===//
// Legal
//===----------------------------------------------------------------------===//

// Blocks of 2 of 7 rows on 4 ranks (padded), and what ranks do alike.
func.func @legal(
    %a: tensor<2x8xf32> {commir.global_type = tensor<7x8xf32>, commir.placement = #commir.placement<[{node, gpu}, {}]>},
    %n: index)
    -> (tensor<2x8xf32> {commir.global_type = tensor<7x8xf32>, commir.placement = #commir.placement<[{node, gpu}, {}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant dense<[1, 2]> : tensor<2xindex>
  %most = tensor.extract %steps[%c1] : tensor<2xindex>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (tensor<2x8xf32>) {
    %some = arith.cmpi ult, %i, %most : index
    %1 = scf.if %some -> (tensor<2x8xf32>) {
      %2 = commir.all_reduce sum %t over {gpu} : tensor<2x8xf32> -> tensor<2x8xf32>
      scf.yield %2 : tensor<2x8xf32>
    } else {
      scf.yield %t : tensor<2x8xf32>
    }
    scf.yield %1 : tensor<2x8xf32>
  }
  return %0 : tensor<2x8xf32>
}

// What differs between ranks may choose what they compute.
func.func @legal_local_branch(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  %0 = scf.if %first -> (tensor<8xf32>) {
    %1 = linalg.exp ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  %2 = commir.all_reduce sum %0 over {gpu} : tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// A function of another stage.
func.func @legal_not_distributed(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

//===----------------------------------------------------------------------===//
// What stage 2 has
//===----------------------------------------------------------------------===//

func.func @placement_op(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{places a tensor of global shape 'tensor<8xf32>', but ranks hold local shapes}}
  %0 = commir.replicate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @shift(%i: index) -> index {
  %r = commir.rank_coord {gpu}
  // expected-error @+1 {{shifts a step by a coordinate of a rank loop, but ranks have no rank loop}}
  %0 = commir.shift %i by %r mod 2
  return %0 : index
}

func.func @rank_loop(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = commir.all_reduce sum %a over {gpu} : tensor<8xf32> -> tensor<8xf32>
  // expected-error @+1 {{runs over the ranks of #commir.axis<gpu>, but this is what one rank runs}}
  %1 = scf.forall (%r) in (2) shared_outs(%o = %0) -> (tensor<8xf32>) {
    %offset = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
    %tile = tensor.extract_slice %o[%offset] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %tile into %o[%offset] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %1 : tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

// 9 rows on 4 ranks need blocks of 3: the block of 2 drops rows.
// expected-error @+1 {{argument 0 has extent 2 in dimension 0, but 4 blocks (over {node, gpu}) of a global extent 9 need at least 3}}
func.func @block_too_small(
    %a: tensor<2x8xf32> {commir.global_type = tensor<9x8xf32>, commir.placement = #commir.placement<[{node, gpu}, {}]>}) {
  return
}

// expected-error @+1 {{result 0 has extent 4 in dimension 1, but 1 blocks (over {}) of a global extent 8 need 8}}
func.func @replica_not_whole(
    %a: tensor<2x4xf32> {commir.global_type = tensor<4x4xf32>, commir.placement = #commir.placement<[{gpu}, {}]>})
    -> (tensor<2x4xf32> {commir.global_type = tensor<4x8xf32>, commir.placement = #commir.placement<[{gpu}, {}]>}) {
  return %a : tensor<2x4xf32>
}

// Seven rows are chunks of one, of which rank 3 has one that is padding.
func.func @blocks_of_an_order(
    %a: tensor<2x8xf32> {commir.global_type = tensor<7x8xf32>, commir.placement = #commir.placement<[{node, gpu} zigzag 4, {}]>}) {
  return
}

// expected-error @+1 {{argument 0 has extent 3 in dimension 0, but 4 blocks of it are no multiple of the 8 chunks of 'zigzag 4'}}
func.func @no_chunks_of_an_order(
    %a: tensor<3x8xf32> {commir.global_type = tensor<7x8xf32>, commir.placement = #commir.placement<[{node, gpu} zigzag 4, {}]>}) {
  return
}

// A missing annotation.
// expected-error @+1 {{argument 1 of type 'tensor<4xf32>' has no 'commir.global_type', which says what part of which tensor it is}}
func.func @no_global_type(
    %a: tensor<2xf32> {commir.global_type = tensor<4xf32>, commir.placement = #commir.placement<[{gpu}]>},
    %b: tensor<4xf32> {commir.placement = #commir.placement<[{gpu}]>}) {
  return
}

// expected-error @+1 {{argument 0 of type 'tensor<4xf32>' has no 'commir.placement', which says what part of which tensor it is}}
func.func @no_placement(%a: tensor<4xf32> {commir.global_type = tensor<4xf32>}) {
  return
}

// expected-error @+1 {{argument 0 of type 'tensor<2xf16>' can be no block of 'tensor<4xf32>'}}
func.func @element_types_disagree(
    %a: tensor<2xf16> {commir.global_type = tensor<4xf32>, commir.placement = #commir.placement<[{gpu}]>}) {
  return
}

// expected-error @+1 {{argument 0 of type 'tensor<?xf32>', a block of 'tensor<4xf32>', has a dynamic extent}}
func.func @dynamic_block(
    %a: tensor<?xf32> {commir.global_type = tensor<4xf32>, commir.placement = #commir.placement<[{gpu}]>}) {
  return
}

func.func @dynamic_shape(%a: tensor<8xf32>) -> tensor<8xf32> {
  %r = commir.rank_coord {gpu}
  // expected-error @+1 {{has a result of type 'tensor<?xf32>', but local shapes are static}}
  %0 = tensor.extract_slice %a[0] [%r] [1] : tensor<8xf32> to tensor<?xf32>
  %1 = commir.all_reduce sum %a over {gpu} : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

// What control-flow sinking makes of a collective that is pure.
func.func @branch_on_rank(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{'commir.rank_coord' differs between ranks}}
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  // expected-note @+1 {{'scf.if' decides whether it runs}}
  %0 = scf.if %first -> (tensor<8xf32>) {
    // expected-error @+1 {{'commir.all_reduce' stands under 'scf.if', which ranks take differently}}
    %1 = commir.all_reduce sum %a over {gpu} : tensor<8xf32> -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

func.func @trip_count_of_rank(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{'commir.rank_coord' differs between ranks}}
  %r = commir.rank_coord {gpu}
  // expected-note @+1 {{'scf.for' decides whether it runs}}
  scf.for %i = %c0 to %r step %c1 {
    // expected-error @+1 {{'commir.all_reduce' stands under 'scf.for', which ranks take differently}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  }
  return
}

func.func @condition_of_elements(%a: memref<8xf32>, %limit: f32) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{'scf.while' decides whether it runs}}
  scf.while : () -> () {
    // expected-note @+1 {{'memref.load' differs between ranks}}
    %x = memref.load %a[%c0] : memref<8xf32>
    %go = arith.cmpf ult, %x, %limit : f32
    scf.condition(%go)
  } do {
    // expected-error @+1 {{'commir.all_reduce' stands under 'scf.while', which ranks take differently}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
    scf.yield
  }
  return
}

// The rank enters through what a loop carries.
func.func @carried_by_loop(%a: memref<8xf32>, %b: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-note @+1 {{'commir.rank_coord' differs between ranks}}
  %r = commir.rank_coord {gpu}
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %c0) -> (index) {
    %y = arith.addi %x, %r : index
    scf.yield %y : index
  }
  // expected-note @+1 {{'scf.index_switch' decides whether it runs}}
  scf.index_switch %0
  case 0 {
    // expected-error @+1 {{'commir.hop' stands under 'scf.index_switch', which ranks take differently}}
    commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
    scf.yield
  }
  default {
  }
  return
}

func.func @branch_between_blocks(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{'commir.rank_coord' differs between ranks}}
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  // expected-note @+1 {{'cf.cond_br' decides whether it runs}}
  cf.cond_br %first, ^bb1, ^bb2
^bb1:
  // expected-error @+1 {{'commir.all_reduce' stands under 'cf.cond_br', which ranks take differently}}
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  cf.br ^bb2
^bb2:
  // Both ways lead here.
  commir.all_reduce sum %a over {node} : memref<8xf32>
  return
}

func.func private @reduces(%a: memref<8xf32>) {
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  return
}

func.func @call_under_branch(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{'commir.rank_coord' differs between ranks}}
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  // expected-note @+1 {{'scf.if' decides whether it runs}}
  scf.if %first {
    // expected-error @+1 {{'func.call' stands under 'scf.if', which ranks take differently}}
    func.call @reduces(%a) : (memref<8xf32>) -> ()
  }
  return
}

func.func @in_parallel_loop(%a: memref<8xf32>) {
  // expected-note @+1 {{'scf.forall' decides whether it runs}}
  scf.forall (%i) in (4) {
    // expected-error @+1 {{'commir.all_reduce' stands under 'scf.forall', which nothing says that ranks run alike}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  }
  return
}
