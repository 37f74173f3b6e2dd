//===- Passes.td - Passes that mix commir with upstream ----*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_PASSES_TD
#define MERCURY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistributePass : Pass<"mercury-distribute", "::mlir::ModuleOp"> {
  let summary = "Turn schedules into distributed loop nests (stage 1 -> 2)";
  let description = [{
    Every operator with a `commir.schedule` becomes a nest of time loops
    (`scf.for`) around a rank loop (`scf.forall` with a commir mapping) over
    global shapes, between placement ops. Where a loop has a token order,
    operands are placed in it and `commir.arrange` makes the nest one over
    indices. Steps of a time loop that a mask leaves no rank do not exist.

    Precondition: a topology resolves; in each function all distributable ops
    have a schedule, or none has.
    Postcondition: stage 2 (see `mercury-verify-distributed`).

    ```mlir
    %0 = linalg.matmul {commir.schedule = #commir.schedule<
           "loops [rank gpu, -, -] inputs [[{gpu}, {} ], [{}, {} ]]
            results [[{gpu}, {} ]]">} ...
    // becomes
    %a1 = commir.shard %a to [{gpu}, {} ]
    %b1 = commir.replicate %b
    %c1 = commir.shard %c to [{gpu}, {} ]
    %0 = scf.forall (%r) in (4) shared_outs(%o = %c1) { ... }
           {mapping = [#commir.axis<gpu>]}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mercury::commir::CommIRDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def RaiseAttentionPass
    : Pass<"mercury-raise-attention", "::mlir::func::FuncOp"> {
  let summary = "Raise a softmax between two contractions to commir.attention";
  let description = [{
    Two contractions of linalg with a softmax between them, `linalg.softmax` or
    the elementwise operators and reductions that it decomposes into, become
    `commir.attention`. What stands between is not matched by its text: elements
    are compared as terms (`Mercury/Analysis/TensorTerms.h`), through casts,
    reshapes, transposes and broadcasts, so that query, key and value are the
    smallest tensors that hold them and heads that were repeated are not.

    A mask that the program computes, or has as a constant, becomes structure
    where the keys of each row are a range: `visible` by positions, or
    `key_range` (`Mercury/Analysis/AttentionMatch.h`); any other stays additive,
    as one that is an argument does. One of the lowest finite number becomes
    structure only where each row keeps a key; a product with 0 and 1 is none.

    What looks like softmax and cannot be proved to be attention is left as it
    is, with a remark that names the op and the reason. See
    `docs/Rationale/Attention.md` for what is proved.

    ```mlir
    %s = linalg.batch_matmul ins(%q, %kt ...)
    %p = linalg.softmax dimension(2) ins(%s ...)
    %o = linalg.batch_matmul ins(%p, %v ...)
    // becomes
    %o = commir.attention maps [...] ins(%q, %kt, %v ...)
    ```

    Precondition: linalg on tensors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mercury::commir::CommIRDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numRaised", "num-raised", "Attentions that were raised">];
}

def ResolveCommunicationPass
    : Pass<"mercury-resolve-communication", "::mlir::ModuleOp"> {
  let summary = "Turn distributed loop nests into SPMD functions (stage 2 -> 3)";
  let description = [{
    Decides by evaluating the index arithmetic for every step and rank how each
    tile reaches its reader: local, gathered, broadcast, rotated, fetched,
    exchanged, or by explicit lists; and how results are reduced. Functions get
    local shapes; arguments and results keep their type and placement as
    attributes `commir.global_type` and `commir.placement`. Between token orders
    chunks move by permutations or one all-to-all; `commir.arrange` is nothing
    more than the change to its order.

    Precondition: stage 2 (see `mercury-verify-distributed`).
    Postcondition: stage 3 (see `mercury-verify-spmd`).
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mercury::commir::CommIRDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def MakeDestinationsPass : Pass<"mercury-make-destinations", "::mlir::func::FuncOp"> {
  let summary = "Let ranks compute into buffers of the caller";
  let description = [{
    Arguments of public functions become buffers that are only read, results
    become further arguments that are written. A result that is only reshaped
    before it is returned is computed there as well. Ops that write an empty
    tensor, or a filled one, get one of their own.

    Precondition: stage 3 on tensors, no calls with tensors. Postcondition:
    functions take and return no tensors; what is inside is still on tensors.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LowerRotationPass : Pass<"mercury-lower-rotation", "::mlir::func::FuncOp"> {
  let summary = "Turn rotations on buffers into loops with hops";
  let description = [{
    Each `commir.rotate` becomes an `scf.for` that starts the hop of a step
    before its body and waits after it, with two buffers in turn; the body is
    emitted once.

    Precondition: bufferized, deallocation is in. Postcondition: no
    `commir.rotate`.
  }];
  let options = [
    Option<"chunks", "chunks", "int64_t", "1",
           "Pieces that each hop of a tile is cut into, where its schedule does "
           "not say">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mercury::commir::CommIRDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def ShortenLifetimesPass
    : Pass<"mercury-shorten-lifetimes", "::mlir::func::FuncOp"> {
  let summary = "Allocate buffers where they are used first, free them where last";
  let description = [{
    Deallocation leaves all frees at the end of the function. Of each buffer that
    the function's own block makes and frees, the allocation moves down to the
    first op that uses it, and the free up to the last one; the wait for a
    transfer names what was in flight, and is a use. A buffer without a use goes.

    ```mlir
    %a = memref.alloc() : memref<8xf32>
    %b = memref.alloc() : memref<8xf32>
    memref.copy %x, %a : ...
    memref.copy %a, %b : ...
    memref.copy %b, %y : ...
    memref.dealloc %a : ...
    memref.dealloc %b : ...
    // becomes
    %a = memref.alloc() : memref<8xf32>
    memref.copy %x, %a : ...
    %b = memref.alloc() : memref<8xf32>
    memref.copy %a, %b : ...
    memref.dealloc %a : ...
    memref.copy %b, %y : ...
    memref.dealloc %b : ...
    ```

    Precondition: bufferized, with deallocations.
  }];
}

def OverlapPass : Pass<"mercury-overlap", "::mlir::func::FuncOp"> {
  let summary = "Start communication early, wait for it late";
  let description = [{
    Every blocking communication on buffers is split into a start, moved up to
    the last op of its block that touches its buffers (or communicates: the
    order of communication is kept), and a wait, moved down to the first.

    Before that, communication in loops comes a step ahead where what it sends is
    not written in the loop, nothing else writes or keeps what it receives, and
    no more than two communicators come to be in flight together: the first
    step's tile arrives before the loop, that of step t + 1 during step t. A
    second buffer of class `travelling` is made where the first one is.

    ```mlir
    scf.for %t = %c0 to %c4 step %c1 {
      commir.broadcast %a into %x from %t over {gpu} : ...
      linalg.matmul ins(%x, %b : ...) outs(%c : ...)
    }
    // becomes
    commir.broadcast %a into %x from %c0 over {gpu} : ...
    scf.for %t = %c0 to %c4 step %c1 iter_args(%now = %x, %to = %y) -> ... {
      %more = arith.cmpi ne, %t, %c3
      scf.if %more {
        %next = arith.addi %t, %c1
        commir.broadcast %a into %to from %next over {gpu} request 0 : ...
      }
      linalg.matmul ins(%now, %b : ...) outs(%c : ...)
      scf.if %more {
        commir.wait 0 for %a, %to : ...
      }
      scf.yield %to, %now : ...
    }
    ```

    Precondition: bufferized, no `commir.rotate`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mercury::commir::CommIRDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numPrefetched", "num-prefetched",
              "Communications that come a step ahead">,
    Statistic<"numSplit", "num-split", "Communications that now overlap">];
}

def SetSchedulePass : Pass<"mercury-set-schedule", "::mlir::ModuleOp"> {
  let summary = "Give every operator a schedule (stage 0 -> 1)";
  let description = [{
    Gives `schedule` to every contraction that has none (of each function with
    distributable ops), or what the function suggests where the option is empty
    (`commir.suggested_schedule`); the other operators follow the placement of what they
    read, fills and epilogues among them. Functions that are at stage 2 already
    are left alone.

    `balance` is the order of tokens that operators with a mask get: `none`,
    `zigzag`, `striped` (`striped:16`: stripes of 16), `table:0,3,1,2`; `auto`
    leaves it to the schedule, which takes zigzag where it lessens the work of the
    rank that has most. A remark says where another one gains nothing.

    Postcondition: all distributable ops of a function have a schedule, or none
    has.
  }];
  let options = [
    Option<"schedule", "schedule", "std::string", "\"\"",
           "Name of a schedule, or text of one (for a single operator)">,
    Option<"topology", "topology", "std::string", "\"\"",
           "Machine: levels (node=2,gpu=4), one by name "
           "(h100-sxm:node=2,gpu=4), a file that has a topology, or @symbol; "
           "empty: the module's">,
    Option<"balance", "balance", "std::string", "\"auto\"",
           "Order of tokens under masks: none, zigzag, striped[:N], table:N,... "
           "or auto">];
  let dependentDialects = ["::mercury::commir::CommIRDialect"];
}

def ErasePlacementPass : Pass<"mercury-erase-placement", "::mlir::ModuleOp"> {
  let summary = "Take placement off again: the program for one device";
  let description = [{
    Placement ops become their operands, `commir.shift` and `commir.position`
    become index arithmetic, `commir.arrange` copies, rank loops become `scf.for`
    on tensors; topologies, schedules and placements go. What is left computes what the function computed before it was
    distributed.

    Precondition: stage 2. Postcondition: no commir op and no commir attribute.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandAttentionPass : Pass<"mercury-expand-attention"> {
  let summary = "Attention becomes its online form between fills and a division";
  let description = [{
    `commir.attention` on tensors that has no schedule becomes a
    `commir.online_attention` over all keys from the neutral state, the division
    of the accumulator by the sum (rounded once; zero where there is no key)
    and, where asked for, the log-sum-exp: operators of which every loop, the
    key's too, can be scheduled. `commir.document_ranges` becomes constants or
    linalg operators, and `commir.check_documents` in front of them. Fails on
    documents and masks that can only be mistakes: constants that describe no
    documents, masks under which no query sees a key, causal offsets beyond the
    keys.
  }];
  let dependentDialects = [
    "::mercury::commir::CommIRDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"type", "type", "std::string", /*default=*/"",
           "f64: compute in f64, as the reference does; also widens "
           "commir.online_attention">
  ];
}

def LowerTokenOrdersPass : Pass<"mercury-lower-token-orders"> {
  let summary = "Token orders become index arithmetic and copies";
  let description = [{
    `commir.position` becomes arithmetic, also in bodies of linalg ops, and
    `commir.arrange` a loop that copies chunk by chunk.

    ```mlir
    %p = commir.position %x in <zigzag 2 of 16>
    // becomes, with chunks of 4: slots 0, 1, 2, 3 hold chunks 0, 3, 1, 2
    %slot = arith.divui %x, %c4 : index
    %part = arith.divui %slot, %c2 : index
    %mirrored = arith.subi %c3, %part : index
    %odd = arith.remui %slot, %c2 : index
    %even = arith.cmpi eq, %odd, %c0 : index
    %chunk = arith.select %even, %part, %mirrored : index
    %first = arith.muli %chunk, %c4 : index
    %in = arith.remui %x, %c4 : index
    %p = arith.addi %first, %in : index
    ```

    Precondition: none. Postcondition: neither op is there.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def MaterializeMasksPass : Pass<"mercury-materialize-masks"> {
  let summary = "What positions say of attention becomes ranges of keys";
  let description = [{
    A `commir.online_attention` on tensors that knows positions gets for each row
    of queries the range [begin, end) of its own keys, counted from its first one,
    that the row sees: `visible`, `valid`, `key_range` in positions, starts and
    token orders become `key_range` in local indices, clamped to the keys, with
    begin equal to end where a row sees none. Where all rows see the same, the
    first ones, that is `valid` alone. Kernels know no other forms.

    Rows may stand in any order. The keys of one op have to stand in growing
    order: in one piece, or in chunks at a constant step (two chunks of a zigzag,
    the stripes of one part). Where that does not hold of all of them, or does
    not show, a loop passes the largest parts of equal extent of which it does.

    ```mlir
    %r:3 = commir.online_attention maps [...]
             ins(%q, %k, %v : ...) visible <right 0> key_start(%start)
             outs(%acc, %max, %sum : ...) -> ...
    // becomes
    %begin, %end = linalg.generic ... outs(%e0, %e1 : tensor<8xi32>, tensor<8xi32>) {
      %row = linalg.index 0 : index
      %past = arith.addi %row, %c1 : index
      %far = arith.subi %past, %start : index
      %some = arith.maxsi %far, %c0 : index
      %last = arith.minsi %some, %keys : index
      ... }
    %r:3 = commir.online_attention maps [...]
             ins(%q, %k, %v : ...) key_range(%begin, %end : ...)
             outs(%acc, %max, %sum : ...) -> ...
    ```

    **Precondition:** tensors. **Postcondition:** online attention on tensors has
    neither `visible`, nor starts, nor orders, nor `valid` beside `key_range`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mercury::commir::CommIRDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def VerifyDistributedPass
    : Pass<"mercury-verify-distributed", "::mlir::ModuleOp"> {
  let summary = "Check the contract of stage 2";
  let description = [{
    Every op on a ranked tensor stands in a rank loop, is a placement op, or runs
    on all ranks and has its result placed; rank loops map axes of the topology,
    each once, with their sizes; accesses can be evaluated. No race: at each step
    tiles written by different ranks are disjoint, and a rank reads of an output
    only the tile that it writes. (On one device a race cannot be seen: ranks run
    in sequence.) Changes nothing.
  }];
}

def VerifySpmdPass : Pass<"mercury-verify-spmd", "::mlir::ModuleOp"> {
  let summary = "Check that functions are what each rank runs (closes stage 3)";
  let description = [{
    In functions that have a `commir.global_type` or communicate: no placement
    op, no rank loop, no `commir.shift`; static shapes; arguments and results
    are the blocks that their global type and placement give each rank (padded
    blocks may be larger); no communication under control flow that depends on
    the rank or on the elements that it holds, so that all ranks of a group run
    the same collectives in the same order.

    Precondition: none. Postcondition: the contract of stage 3 holds; nothing
    is changed.

    ```mlir
    %r = commir.rank_coord {gpu}
    %first = arith.cmpi eq, %r, %c0 : index
    scf.if %first {
      // error: communicates inside 'scf.if', which ranks take differently
      commir.all_reduce sum %t over {gpu} : memref<4xf32>
    }
    ```
  }];
}

def VerifyCommunicationPass
    : Pass<"mercury-verify-communication", "::mlir::ModuleOp"> {
  let summary = "Play all ranks and check that their communication meets";
  let description = [{
    Runs the index arithmetic and control flow of each function that
    communicates for every rank of the topology, and lets the ranks meet with
    rendezvous semantics, one operation of a rank at a time in order of issue.
    Rejects sends and receives without a partner or that disagree, cyclic waits,
    collectives that a part of the group reaches or that differ, different
    orders on communicators that share ranks, more than two of these in flight,
    uses of buffers in flight, requests that do not pair with waits, and groups
    of more than 256 sends and receives.

    Precondition: stage 3 on tensors, or on buffers without `commir.rotate`
    (after `mercury-lower-rotation` or `mercury-overlap`). What cannot be
    evaluated is an error, never passed over. Postcondition: nothing is changed.

    ```mlir
    commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : ...
    // error: reads a buffer in flight: request 0 receives into it until it is
    // waited for
    linalg.matmul ins(%b, %w : ...) outs(%c : ...)
    commir.wait 0 for %a, %b : ...
    ```
  }];
  let options = [
    Option<"budget", "budget", "int64_t", "5000000",
           "Ops to play per function, all ranks together; a communication "
           "counts for 16">];
  let statistics = [
    Statistic<"numEvents", "num-events", "Communications and waits played">];
}

def PrintCommunicationPass
    : Pass<"mercury-print-communication", "::mlir::ModuleOp"> {
  let summary = "Print which rank touches which tile at which step, and how it "
                "arrives";
  let description = [{
    Per nest of time loops around a rank loop and tensor that it reads or
    writes: how tiles arrive (or leave), and a table of (step, rank) -> tile, by
    the same analysis that `mercury-resolve-communication` decides by. `<1`: the
    tile comes from rank 1 at this step; `>1`: it goes there at the end.

    Precondition: stage 2 (see `mercury-verify-distributed`). Postcondition:
    nothing is changed; the tables are on the standard output.

    ```
    nest in @gemm: ranks {gpu}, 4 steps
      reads argument 0, tensor<16x24xf32> placed [{gpu}, {} ]: rotates over {gpu} by 1 each step
         step  rank 0        rank 1        rank 2        rank 3
            0  [0:4, :]      [4:8, :]      [8:12, :]     [12:16, :]
            1  [4:8, :]<1    [8:12, :]<2   [12:16, :]<3  [0:4, :]<0
    ```
  }];
}

def AnnotateRequirementsPass
    : Pass<"mercury-annotate-requirements", "::mlir::func::FuncOp"> {
  let summary = "Write down what a program needs";
  let description = [{
    Adds to the attribute `commir.requirements` of functions that ranks run: at
    stage 3 on tensors what each communication moves per step, over which axes,
    and per congestion domain that it crosses the bytes on the fullest link and
    the bandwidth above which they are hidden (where the topology gives the
    device's rate); on buffers the bytes per rank and class.
    Gives allocations that communication uses their class.
  }];
}

#endif
