//===- CommIRTransformOps.td - Scheduling ops --------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_TRANSFORMOPS_COMMIRTRANSFORMOPS_TD
#define MERCURY_DIALECT_COMMIR_TRANSFORMOPS_COMMIRTRANSFORMOPS_TD

include "Mercury/Dialect/CommIR/IR/CommIRAttrs.td"
include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// The number of a loop, factor, dimension, input or result.
def CommIR_Number : ConfinedAttr<I64Attr, [IntNonNegative]>;

/// Edits the `commir.schedule` of each payload operator by a function of
/// Mercury/Schedule; an operator without one starts from the schedule in which
/// nothing is distributed.
class CommIR_EditOp<string mnemonic>
    : Op<Transform_Dialect, "commir." # mnemonic, [
        TransformOpInterface, TransformEachOpTrait,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        ReportTrackingListenerFailuresOpTrait]> {
  let cppNamespace = "::mercury::commir::transform_ops";
  dag target = (ins TransformHandleTypeInterface:$target);
  code declarations = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter,
        ::mlir::Operation *target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
    /// The edit itself.
    ::mercury::Verdict edit(::mercury::Schedule &schedule,
                            const ::mercury::ScheduleContext &context);
  }];
  let extraClassDeclaration = declarations;
  let extraClassDefinition = [{
    ::mlir::DiagnosedSilenceableFailure $cppClass::applyToOne(
        ::mlir::transform::TransformRewriter &rewriter,
        ::mlir::Operation *target,
        ::mlir::transform::ApplyToEachResultList &,
        ::mlir::transform::TransformState &) {
      return editSchedule(*this, rewriter, target,
          [&](::mercury::Schedule &schedule,
              const ::mercury::ScheduleContext &context) {
            return edit(schedule, context);
          });
    }
    void $cppClass::getEffects(::llvm::SmallVectorImpl<
        ::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::transform::onlyReadsHandle(getTargetMutable(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

def TileOp : CommIR_EditOp<"tile"> {
  let summary = "cuts a loop into sequential steps";
  let description = [{
    Adds a time factor to loop `loop`, inside its present factors and innermost
    of the time loops: with as many steps as `over`'s axes have ranks (which a
    shift needs), or with `steps` steps. With `size` it adds none: what is left
    of the loop for a rank and step is computed in blocks of so many elements, 0
    leaves that to code generation.

    ```mlir
    transform.commir.tile %matmul loop 0 over {gpu} : !transform.any_op
    transform.commir.tile %matmul loop 2 steps 4 : !transform.any_op
    transform.commir.tile %matmul loop 2 size 64 : !transform.any_op
    ```

    #### Return modes

    Reads the handle and edits an attribute of the payload. Fails silenceably,
    the payload unchanged, when a payload op cannot be distributed, has a dynamic
    extent, resolves no topology, or when the request is illegal.
  }];
  let arguments = !con(target, (ins CommIR_Number:$loop,
      OptionalAttr<CommIR_AxisArrayAttr>:$axes, OptionalAttr<I64Attr>:$steps,
      OptionalAttr<I64Attr>:$size));
  let assemblyFormat = [{
    $target `loop` $loop (`over` custom<Axes>($axes)^)? (`steps` $steps^)?
    (`size` $size^)? attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

def JoinOp : CommIR_EditOp<"join"> {
  let summary = "joins two neighbouring factors of a loop";
  let description = [{
    Factors `factor` and `factor + 1` of loop `loop`, of the same kind, become
    one over the axes of both.

    ```mlir
    transform.commir.join %matmul loop 0 factor 0 : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$loop, CommIR_Number:$factor));
  let assemblyFormat = [{
    $target `loop` $loop `factor` $factor attr-dict `:` type($target)
  }];
}

def ReorderOp : CommIR_EditOp<"reorder"> {
  let summary = "gives the order of the time loops";
  let description = [{
    Outermost first; time loop i is factor `factors[i]` of loop `loops[i]`. Each
    time loop is named once.

    ```mlir
    transform.commir.reorder %matmul loops [2, 0] factors [0, 0]
        : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins DenseI64ArrayAttr:$loops,
                                    DenseI64ArrayAttr:$factors));
  let assemblyFormat = [{
    $target `loops` $loops `factors` $factors attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

def ParallelizeOp : CommIR_EditOp<"parallelize"> {
  let summary = "gives a loop to axes";
  let description = [{
    The next inner factor of loop `loop` runs over the ranks of the axes. Inputs
    and results that run over the loop are placed there; a reduction ends in
    all-reduce.

    ```mlir
    transform.commir.parallelize %matmul loop 1 over {node, gpu}
        : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$loop, CommIR_AxisArrayAttr:$axes));
  let assemblyFormat = [{
    $target `loop` $loop `over` custom<Axes>($axes) attr-dict
    `:` type($target)
  }];
}

def ShardOp : CommIR_EditOp<"shard"> {
  let summary = "shards an input";
  let description = [{
    Dimension `dim` of input `input` enters sharded over the axes, and stays so
    while the loops run, except over axes that parallelize another of its
    dimensions.

    ```mlir
    transform.commir.shard %matmul input 0 dim 0 over {gpu} : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$input, CommIR_Number:$dim,
                                    CommIR_AxisArrayAttr:$axes));
  let assemblyFormat = [{
    $target `input` $input `dim` $dim `over` custom<Axes>($axes) attr-dict
    `:` type($target)
  }];
}

def ShardResultOp : CommIR_EditOp<"shard_result"> {
  let summary = "shards a result";
  let description = [{
    Dimension `dim` of result `number` is sharded over the axes. Of a
    parallelized reduction this asks for reduce-scatter or, with a shifted time
    factor over the axes on that dimension's loop, for a moving accumulator.

    ```mlir
    transform.commir.shard_result %matmul result 0 dim 0 over {gpu}
        : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$number, CommIR_Number:$dim,
                                    CommIR_AxisArrayAttr:$axes));
  let assemblyFormat = [{
    $target `result` $number `dim` $dim `over` custom<Axes>($axes) attr-dict
    `:` type($target)
  }];
}

def ShardExitOp : CommIR_EditOp<"shard_exit"> {
  let summary = "shards a result on exit";
  let description = [{
    Dimension `dim` of result `number` is sharded over the axes on exit only:
    after the loops it is moved there from where they held it, or cut.

    ```mlir
    transform.commir.shard_exit %attention result 0 dim 1 over {gpu}
        : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$number, CommIR_Number:$dim,
                                    CommIR_AxisArrayAttr:$axes));
  let assemblyFormat = [{
    $target `result` $number `dim` $dim `over` custom<Axes>($axes) attr-dict
    `:` type($target)
  }];
}

def ReplicateOp : CommIR_EditOp<"replicate"> {
  let summary = "gathers an input before the loops";
  let description = [{
    Takes the axes off the placement with which input `input` enters the loops;
    it is gathered before them where it is sharded on entry.

    ```mlir
    transform.commir.replicate %matmul input 0 over {gpu} : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$input, CommIR_AxisArrayAttr:$axes));
  let assemblyFormat = [{
    $target `input` $input `over` custom<Axes>($axes) attr-dict
    `:` type($target)
  }];
}

def ReplicateResultOp : CommIR_EditOp<"replicate_result"> {
  let summary = "gathers a result after the loops";
  let description = [{
    Takes the axes off the placement of result `number` on exit.

    ```mlir
    transform.commir.replicate_result %matmul result 0 over {gpu}
        : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$number, CommIR_AxisArrayAttr:$axes));
  let assemblyFormat = [{
    $target `result` $number `over` custom<Axes>($axes) attr-dict
    `:` type($target)
  }];
}

def ShiftOp : CommIR_EditOp<"shift"> {
  let summary = "staggers a time loop by ranks";
  let description = [{
    The index of time factor `factor` of loop `loop` becomes (step + `stride` *
    coordinate on the axes + `offset`) mod its number of steps.

    ```mlir
    transform.commir.shift %matmul loop 0 factor 0 over {gpu} : !transform.any_op
    transform.commir.shift %matmul loop 0 factor 0 over {gpu} stride -1 offset 1
        : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$loop, CommIR_Number:$factor,
      CommIR_AxisArrayAttr:$axes, DefaultValuedAttr<I64Attr, "1">:$stride,
      DefaultValuedAttr<I64Attr, "0">:$offset));
  let assemblyFormat = [{
    $target `loop` $loop `factor` $factor `over` custom<Axes>($axes)
    (`stride` $stride^)? (`offset` $offset^)? attr-dict `:` type($target)
  }];
}

def BidirectionalOp : CommIR_EditOp<"bidirectional"> {
  let summary = "lets what a time loop moves travel both ways";
  let description = [{
    Cuts the tiles of time factor `factor` of loop `loop`, a shifted one of a
    reduction, into halves: the first travels as before, the second the other
    way around.

    ```mlir
    transform.commir.bidirectional %attention loop 2 factor 0 : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$loop, CommIR_Number:$factor));
  let assemblyFormat = [{
    $target `loop` $loop `factor` $factor attr-dict `:` type($target)
  }];
}

def BackwardsOp : CommIR_EditOp<"backwards"> {
  let summary = "lets a time loop move the other way";
  let description = [{
    Time factor `factor` of loop `loop`, a shifted one, takes its steps
    backwards: with a causal window the own tile then comes first, those before
    it next, and the ring ends early.

    ```mlir
    transform.commir.backwards %attention loop 2 factor 0 : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$loop, CommIR_Number:$factor));
  let assemblyFormat = [{
    $target `loop` $loop `factor` $factor attr-dict `:` type($target)
  }];
}

def ArrangeOp : CommIR_EditOp<"arrange"> {
  let summary = "divides a loop in another order";
  let description = [{
    Loop `loop` runs in the order that the text names, as `#commir.placement`
    writes it: what runs over the loop is stored so while loops run, and on
    entry and exit where it is sharded along the loop.

    ```mlir
    transform.commir.arrange %attention loop 1 as "zigzag 4" : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$loop, StrAttr:$order));
  let assemblyFormat = [{
    $target `loop` $loop `as` $order attr-dict `:` type($target)
  }];
}

def FetchOp : CommIR_EditOp<"fetch"> {
  let summary = "takes each step's tile of an input from its owner";
  let description = [{
    Tiles that input `input` reads over the axes come from their owner at each
    step instead of being passed on.

    ```mlir
    transform.commir.fetch %matmul input 0 over {gpu} : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins CommIR_Number:$input, CommIR_AxisArrayAttr:$axes));
  let assemblyFormat = [{
    $target `input` $input `over` custom<Axes>($axes) attr-dict
    `:` type($target)
  }];
}

def PatchOp : CommIR_EditOp<"patch"> {
  let summary = "puts a registered kernel in the place of the local tile";
  let description = [{
    ```mlir
    transform.commir.patch %matmul kernel "blas" : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`.
  }];
  let arguments = !con(target, (ins StrAttr:$kernel));
  let assemblyFormat = "$target `kernel` $kernel attr-dict `:` type($target)";
}

def NamedScheduleOp : CommIR_EditOp<"named_schedule"> {
  let summary = "gives an operator a schedule by name";
  let description = [{
    Replaces the schedule by the one that the name makes for the operator on its
    topology.

    ```mlir
    transform.commir.named_schedule %matmul "all_gather_gemm_shifted"
        : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`; the reason for an unknown name suggests the
    nearest one.
  }];
  let arguments = !con(target, (ins StrAttr:$name));
  let assemblyFormat = "$target $name attr-dict `:` type($target)";
}

def SetScheduleOp : CommIR_EditOp<"set_schedule"> {
  let summary = "gives an operator a schedule";
  let description = [{
    Replaces the schedule by one that is written out (as `#commir.schedule` has
    it), as the tuner does for the ones that it finds.

    ```mlir
    transform.commir.set_schedule %matmul
        "loops [rank gpu, -, -] inputs [...] results [...]" : !transform.any_op
    ```

    #### Return modes

    As `transform.commir.tile`; a schedule that is illegal for the operator on
    its topology is refused.
  }];
  let arguments = !con(target, (ins StrAttr:$schedule));
  let assemblyFormat = "$target $schedule attr-dict `:` type($target)";
}

def DistributeOp : Op<Transform_Dialect, "commir.distribute", [
    TransformOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    ReportTrackingListenerFailuresOpTrait]> {
  let cppNamespace = "::mercury::commir::transform_ops";
  let summary = "turns schedules into distributed loop nests";
  let description = [{
    Replaces each payload operator by the loop nest that its `commir.schedule`
    describes, as the pass `mercury-distribute` does. Every distributable op of a
    function has to be distributed before `mercury-resolve-communication`.

    ```mlir
    %time, %rank = transform.commir.distribute %matmul
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    ```

    #### Return modes

    Consumes the handle. Returns handles to the time loops (`scf.for`) and to the
    rank loops (`scf.forall`) that were made, of all payload ops in order, outer
    loops first. Fails silenceably when a payload op cannot be distributed, has
    no schedule, has a dynamic extent, resolves no topology, or has an illegal
    schedule: that op is unchanged, those before it are distributed. Fails
    definitely when building the nest fails.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$time_loops,
                      TransformHandleTypeInterface:$rank_loops);
  let assemblyFormat = "$target attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure apply(
        ::mlir::transform::TransformRewriter &rewriter,
        ::mlir::transform::TransformResults &results,
        ::mlir::transform::TransformState &state);
  }];
}

#endif
