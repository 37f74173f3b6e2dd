//===- Passes.td - The computation inside one rank ---------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_LOCAL_PASSES
#define MERCURY_TRANSFORMS_LOCAL_PASSES

include "mlir/Pass/PassBase.td"

def PromoteAccumulatorsPass : Pass<"mercury-promote-accumulators"> {
  let summary = "accumulate reductions in a wider floating type";
  let description = [{
    Every linalg op on tensors that has a reduction loop and a result of a
    floating type narrower than `type` is computed in `type`: its init is
    extended, the op accumulates in `type`, and one elementwise op at the end
    rounds to the original type. Named ops keep their name, indexing maps and
    attributes and extend their operands themselves; the body of a
    `linalg.generic` or `linalg.reduce` is cloned with its inputs extended and
    its arithmetic done in `type`. `linalg.softmax` is extended as a whole and
    decomposed. Discardable attributes and locations are kept.

    With `type=f64` this yields the reference that results are verified
    against: a value is rounded to its element type only where the input IR has
    a tensor of that type.

    An op whose body cannot be retyped (a bitcast of a float, a call, ...) stays
    as it is, with a remark that names the op in the body.

    **Precondition:** linalg on tensors. **Postcondition:** no reducing linalg
    op without a remark accumulates in a type narrower than `type`.

    ```mlir
    %0 = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x4xbf16>)
                       outs(%zero : tensor<4x4xbf16>) -> tensor<4x4xbf16>
    // becomes, with type=f32
    %1 = linalg.fill ins(%cst : f32) outs(%empty : tensor<4x4xf32>) -> ...
    %2 = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x4xbf16>)
                       outs(%1 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = linalg.generic {elementwise} ins(%2) outs(%e : tensor<4x4xbf16>) {
           arith.truncf ... }
    ```
  }];
  let options = [
    Option<"type", "type", "std::string", /*default=*/"\"f32\"",
           "Accumulate in this type: f32 or f64">,
  ];
  let statistics = [
    Statistic<"numPromoted", "num-promoted", "Ops that now accumulate wider">,
    Statistic<"numSkipped", "num-skipped", "Ops left as they were">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect", "mlir::math::MathDialect",
  ];
}

def VectorizeContractionsPass : Pass<"mercury-vectorize-contractions"> {
  let summary = "block, pack and vectorize contractions";
  let description = [{
    Replaces each contraction on tensors (named, or a `linalg.generic` whose
    body multiplies and adds, its inputs possibly extended) by a loop nest
    around a register-blocked kernel: loops over batch dimensions outside, then
    blocks of the reduction, of the columns and of the rows; the block of the
    right operand is packed once per block into a workspace of panels, extended
    to the accumulation type; the left operand is packed, too, where its
    reduction dimension is not contiguous or its type is narrower. Columns that
    do not fill a vector are masked, rows that do not fill a register block get
    a smaller kernel of their own, so the main part is never masked.

    An operator with `commir.tile` is computed in blocks of these sizes: a
    contraction of any number of operations in the nest above, with register
    blocks that divide the sizes, what is no contraction in loops around its
    linalg form. Ops with `commir.patch` are left to `mercury-patch-kernels`.

    **Precondition:** linalg on tensors with static shapes, accumulating in f32
    or f64 (see `mercury-promote-accumulators`). What does not qualify is left
    alone: other passes turn it into loops.
    **Postcondition:** bufferizes in place; the workspace is one
    `tensor.empty` per contraction, outside all loops, and the nest allocates
    nothing.

    ```mlir
    %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
                       outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
    // becomes
    %w = tensor.empty() : tensor<2x64x32xf32>
    %p = scf.for ... iter_args(%w) { vector.transfer_read %b ... }   // pack
    %0 = scf.for %j = 0 to 64 step 32 iter_args(%c) {
      scf.for %i = 0 to 64 step 8 iter_args(%c) {
        %acc:8 = scf.for %k = 0 to 64 iter_args(zeros: 8 x vector<32xf32>) {
          ... vector.fma ... }
        ... vector.transfer_write ... }}
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"0",
           "Width of a vector register: 128, 256 or 512; 0 asks the host CPU">,
    Option<"minFlops", "min-flops", "int64_t", /*default=*/"32768",
           "Leave contractions of fewer operations (2 M N K) alone">,
    Option<"blockM", "block-m", "int64_t", /*default=*/"0",
           "Rows of a cache block; 0 picks it">,
    Option<"blockN", "block-n", "int64_t", /*default=*/"0",
           "Columns of a cache block; 0 picks it">,
    Option<"blockK", "block-k", "int64_t", /*default=*/"0",
           "Reduction steps of a cache block; 0 picks it">,
    Option<"registerM", "register-m", "int64_t", /*default=*/"0",
           "Rows of the register block; 0 picks it">,
  ];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "Contractions vectorized">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
    "mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect",
    "mlir::ub::UBDialect",
  ];
}

def VectorizeAttentionPass : Pass<"mercury-vectorize-attention"> {
  let summary = "fuse, block and vectorize online attention";
  let description = [{
    Replaces each `commir.online_attention` on buffers by one nest that computes
    a block of scores, its exponentials and their product with the values while
    they are in the cache: parallel loops that keys or values have outside, then
    blocks of keys, packed once, then blocks of rows (query positions, and the
    query heads that share a key). Both products run through the kernel of
    `mercury-vectorize-contractions`; the exponential is a polynomial on vectors
    with a relative error below 2^-23, exactly 0 for -inf and below 2^-126. The
    accumulator is scaled while it is brought into the workspace. Inputs of f16
    and bf16 are extended where they are packed; any order of dimensions is
    right, one with a contiguous feature dimension is fast. NaN among the scores
    of a row stays in its sum and accumulator, not in its maximum.

    With `key_range`, blocks of keys that no row sees are not visited, and a block
    of rows runs over those panels of keys that some of its rows see: bounds of
    the loops. In blocks that a range cuts, scores outside of it become -inf; all
    others run as without ranges. Heads that share ranges then stand beside each
    other, so that a block of rows has few positions.

    An operator with `commir.tile` is computed in blocks of these sizes, rounded up
    to whole panels: rows are as many as the sizes of the row loops that it names
    make, batch loops go one by one. Ops with `commir.patch` are left to
    `mercury-patch-kernels`.

    **Precondition:** buffers of static shapes, a state in f32, positions that are
    ranges (`mercury-materialize-masks`). What does not
    qualify is left alone: `mercury-lower-attention` turns it into loops.
    **Postcondition:** the workspace is allocated before the nest, outside all
    of its loops, and freed by nobody: buffer deallocation comes after.

    ```mlir
    commir.online_attention maps [...] ins(%q, %k, %v : ...)
                            outs(%acc, %max, %sum : ...)
    // becomes
    %scores = memref.alloc() : memref<96x272xf32> ...
    scf.for %n = %c0 to %keys step %c256 {
      ... // pack K and V
      scf.for %m = %c0 to %queries step %c96 {
        ... // pack Q
        scf.for ... { %s:12 = scf.for %d ... { ... vector.fma ... } ... }
        scf.for %row ... { ... vector.reduction <maxnumf> ... }
        scf.for ... { %o:12 = scf.for %j ... { ... vector.fma ... } ... } } }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"0",
           "Width of a vector register: 128, 256 or 512; 0 asks the host CPU">,
    Option<"minFlops", "min-flops", "int64_t", /*default=*/"32768",
           "Leave ops of fewer operations (2 M N (d + e)) alone">,
    Option<"blockQueries", "block-queries", "int64_t", /*default=*/"0",
           "Rows of a cache block; 0 picks it">,
    Option<"blockKeys", "block-keys", "int64_t", /*default=*/"0",
           "Keys of a cache block; 0 picks it">,
  ];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "Ops vectorized">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
  ];
}

def PatchKernelsPass : Pass<"mercury-patch-kernels", "mlir::ModuleOp"> {
  let summary = "put registered kernels in the place of computation";
  let description = [{
    Replaces contractions and online attention on memrefs by calls of kernels
    from the registry (see KernelRegistry.h): those that carry the attribute
    `commir.patch = "name"`, and with the option `local` every one that the
    kernel takes. A kernel takes a contraction when its form (which operands are
    transposed), element types and strides agree, and online attention when
    element types agree and features are contiguous: without a mask, or with
    ranges of keys where its form is `masked_attention`. Where the attribute
    asked and the kernel refuses, that is an error which names kernel, op and
    reason; where only the option asked, the op is left to code generation.

    **Precondition:** memrefs. **Postcondition:** no op carries `commir.patch`.

    ```mlir
    linalg.matmul {commir.patch = "blas"}
      ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>)
      outs(%c : memref<64x16xf32>)
    // becomes
    func.call @mercury_blas_sgemm_nn(%m, %n, %k, %pa, %lda, %pb, %ldb, %pc,
        %ldc) : (i64, i64, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64)
        -> ()
    ```
  }];
  let options = [
    Option<"local", "local", "std::string", /*default=*/"\"\"",
           "Offer every contraction and online attention to this kernel">,
    ListOption<"kernels", "kernel", "std::string",
               "Register kernels: four words each, "
               "name,form(nn|nt|tn|tt|attention|masked_attention),type,"
               "symbol">,
  ];
  let statistics = [
    Statistic<"numPatched", "num-patched", "Ops replaced by calls">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect",
  ];
}

def LowerForallsPass : Pass<"mercury-lower-foralls"> {
  let summary = "turn foralls on buffers into loops";
  let description = [{
    The iterations of an `scf.forall` inside a rank run one after the other.

    **Precondition:** memrefs; a forall on tensors is an error.
    **Postcondition:** no `scf.forall`.

    ```mlir
    scf.forall (%i) in (4) { ... }
    // becomes
    scf.for %i = %c0 to %c4 step %c1 { ... }
    ```
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect"];
}

def LowerAttentionPass : Pass<"mercury-lower-attention"> {
  let summary = "turn online attention into plain loops";
  let description = [{
    `commir.online_attention` on buffers becomes scalar loops, written as its
    definition reads: the maximum of a row's scores, the factor by which the
    state changes, then exponentials, their sum and the accumulator, all in the
    state's type. Shapes may be dynamic, and no buffer is allocated. NaN among
    the scores stays NaN. A row's `key_range` bounds its loops over keys.

    **Precondition:** buffers; positions are ranges
    (`mercury-materialize-masks`). **Postcondition:** no `commir.online_attention`
    on buffers.

    ```mlir
    commir.online_attention maps [...] ins(%q, %k, %v : ...)
                            outs(%acc, %max, %sum : ...)
    // becomes
    scf.for %m = %c0 to %queries step %c1 {
      %top = scf.for %n = %c0 to %keys step %c1 iter_args(%t = %before) {
        %score = scf.for %d = ... { ... }
        %next = arith.maximumf %t, %score : f32 ... }
      %factor = ... // exp(%before - %top)
      %total = scf.for %n = %c0 to %keys step %c1 iter_args(%s = ...) {
        %score = scf.for %d = ... { ... }
        %weight = ... // exp(%score - %top)
        scf.for %e = ... { ... } } }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
  ];
}

def LowerCopiesPass : Pass<"mercury-lower-copies"> {
  let summary = "turn strided memref copies into loops";
  let description = [{
    `memref.copy` between buffers that are not both contiguous would become a
    call of a generic library function; it becomes a loop of copies of what is
    contiguous on both sides or, where that is little, an elementwise
    `linalg.generic`. Contiguous copies stay and become memcpy.

    **Precondition:** memrefs. **Postcondition:** every `memref.copy` is
    contiguous on both sides.

    ```mlir
    memref.copy %a, %b : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
    // becomes
    linalg.generic {elementwise} ins(%a) outs(%b) { linalg.yield %in }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
  ];
}

def LowerVectorsPass : Pass<"mercury-lower-vectors"> {
  let summary = "lower vector ops to vectors of one dimension";
  let description = [{
    Contractions, reductions, transposes, broadcasts, masks and transfers of
    many dimensions become vector ops of one dimension that convert to LLVM one
    by one. Does nothing, quickly, where there is no vector.

    **Precondition:** vector ops on memrefs. **Postcondition:** transfers have
    at most one dimension; no contract, multi_reduction, transpose or gather.

    ```mlir
    %v = vector.transfer_read %m[%i, %j], %pad
           : memref<8x16xf32>, vector<8x16xf32>
    // becomes eight of
    %r = vector.load %m[%i0, %j] : memref<8x16xf32>, vector<16xf32>
    ```
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect", "mlir::ub::UBDialect",
    "mlir::vector::VectorDialect",
  ];
}

def LegalizeArithPass : Pass<"mercury-legalize-arith"> {
  let summary = "expand arithmetic that targets lack";
  let description = [{
    Arithmetic on bf16 and math on bf16 and f16 is done in f32 and rounded after
    every op, which is what the op means. Conversions of bf16, and f64 to f16 or
    bf16, become integer arithmetic that rounds once, to nearest even: compilers
    would call library functions for them that many systems lack, or round
    twice through f32. Ceiling and floor division are expanded.

    **Precondition:** arith and math on scalars and vectors.
    **Postcondition:** no op but moves, loads, stores and bitcasts uses bf16.

    ```mlir
    %1 = arith.addf %a, %b : bf16
    // becomes
    %2 = arith.bitcast %a : bf16 to i16
    %3 = arith.extui %2 : i16 to i32
    %4 = arith.shli %3, %c16 : i32
    %5 = arith.bitcast %4 : i32 to f32
    ...
    %9 = arith.addf %5, %8 : f32
    ... // round to nearest even
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::vector::VectorDialect",
    "mlir::math::MathDialect",
  ];
}

def LowerMathPass : Pass<"mercury-lower-math", "mlir::ModuleOp"> {
  let summary = "polynomials for math on vectors, libm for scalars";
  let description = [{
    Functions of f32 vectors become polynomials (a few units in the last place);
    scalars, and vectors of other types element by element, become calls of
    libm. Ops that are one instruction (square root, rounding, absolute value,
    fused multiply-add, ...) stay and convert to intrinsics.

    **Precondition:** math on scalars and vectors. **Postcondition:** every math
    op left has an LLVM intrinsic.

    ```mlir
    %1 = math.erf %a : f32
    // becomes
    %1 = func.call @erff(%a) : (f32) -> f32
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::math::MathDialect", "mlir::vector::VectorDialect",
    "mlir::LLVM::LLVMDialect",
  ];
}

#endif // MERCURY_TRANSFORMS_LOCAL_PASSES
