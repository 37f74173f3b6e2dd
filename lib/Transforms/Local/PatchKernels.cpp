//===- PatchKernels.cpp - Registered kernels instead of contractions ------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "Mercury/Dialect/CommIR/IR/AttrNames.h"
#include "Mercury/Transforms/Local/KernelRegistry.h"
#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using Role = mercury::Contraction::Role;
using mercury::commir::kPatchAttrName;

namespace mercury {
#define GEN_PASS_DEF_PATCHKERNELSPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
/// A contraction as one call for each point of its outer loops.
struct Call {
  Contraction contraction;
  /// Loops of the matrices; m may be absent (extent 1).
  std::optional<unsigned> m;
  unsigned n = 0, k = 0;
  SmallVector<unsigned> outer;
  bool transposeA = false, transposeB = false;
  std::string form() const {
    return std::string(transposeA ? "t" : "n") + (transposeB ? "t" : "n");
  }
};

/// The stride of dimension `dim`, dynamic where it is not static.
int64_t strideOf(Value memref, unsigned dim) {
  auto [strides, offset] =
      cast<MemRefType>(memref.getType()).getStridesAndOffset();
  return strides[dim];
}

std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Finds the matrices of a contraction: the dimension of C that is contiguous
/// is n. Fails with `reason`.
FailureOr<Call> matchCall(linalg::LinalgOp op, std::string &reason) {
  FailureOr<Contraction> contraction = matchContraction(op, &reason);
  if (failed(contraction))
    return failure();
  for (Value operand : op->getOperands()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    auto type = cast<MemRefType>(operand.getType());
    if (failed(type.getStridesAndOffset(strides, offset)))
      return reason = "type '" + print(type) + "' has no strides", failure();
  }
  Call call;
  call.contraction = *contraction;
  Contraction &form = call.contraction;
  /// The loop of the dimension of `operand` that is contiguous; last first.
  auto contiguous = [&](const Contraction::Operand &operand, auto &&accept) {
    for (unsigned dim = operand.loops.size(); dim-- > 0;)
      if (strideOf(operand.value, dim) == 1 && accept(operand.loops[dim]))
        return std::optional<unsigned>(operand.loops[dim]);
    return std::optional<unsigned>();
  };
  std::optional<unsigned> column = contiguous(form.c, [&](unsigned loop) {
    return form.roles[loop] == Role::N || form.roles[loop] == Role::M;
  });
  if (!column)
    return reason = "no row or column of the output has stride 1", failure();
  if (form.roles[*column] == Role::M)
    form.swapInputs();
  call.n = *column;
  call.m = form.largestLoop(Role::M);
  // B: contiguous along n, or along a reduction; A: the same, or along m.
  std::optional<unsigned> kB = contiguous(form.b, [&](unsigned loop) {
    return loop == call.n || form.roles[loop] == Role::K;
  });
  if (!kB)
    return reason = "the second input is contiguous along neither its columns "
                    "nor the reduction",
           failure();
  call.transposeB = *kB != call.n;
  std::optional<unsigned> kA = contiguous(form.a, [&](unsigned loop) {
    return call.transposeB
               ? loop == *kB || form.roles[loop] == Role::M
               : form.roles[loop] == Role::K || form.roles[loop] == Role::M;
  });
  if (!kA)
    return reason = "the first input is contiguous along neither its rows nor "
                    "the reduction",
           failure();
  call.transposeA = form.roles[*kA] == Role::M;
  if (call.transposeA)
    call.m = *kA;
  call.k = call.transposeB    ? *kB
           : !call.transposeA ? *kA
                              : *form.largestLoop(Role::K);
  for (unsigned loop = 0; loop < form.roles.size(); ++loop)
    if (loop != call.n && loop != call.k && call.m != loop)
      call.outer.push_back(loop);
  return call;
}

/// Rows and columns of a stored matrix: the loops whose strides are the leading
/// dimension and 1.
struct Matrix {
  const Contraction::Operand *operand;
  std::optional<unsigned> row;
  unsigned column;
};

SmallVector<Matrix, 3> matricesOf(const Call &call) {
  const Contraction &form = call.contraction;
  std::optional<unsigned> k = call.k;
  SmallVector<Matrix, 3> result;
  result.push_back({&form.a, call.transposeA ? k : call.m,
                    call.transposeA ? *call.m : call.k});
  result.push_back({&form.b, call.transposeB ? call.n : call.k,
                    call.transposeB ? call.k : call.n});
  result.push_back({&form.c, call.m, call.n});
  return result;
}

/// Why `kernel` does not take `call`; empty if it does.
std::string refusal(const Kernel &kernel, const Call &call) {
  const Contraction &form = call.contraction;
  std::string types = print(form.a.element()) + ", " + print(form.b.element()) +
                      " -> " + print(form.c.element());
  std::string wanted = kernel.type + ", " + kernel.type + " -> " + kernel.type;
  if (types != wanted)
    return "it takes " + wanted + ", the op has " + types;
  if (kernel.form() != call.form())
    return "it takes the form " + kernel.form() + ", the op has " + call.form();
  if (kernel.layout == Kernel::Layout::UnitStride)
    return "";
  for (const Matrix &matrix : matricesOf(call)) {
    std::optional<unsigned> dim;
    if (matrix.row)
      dim = matrix.operand->dimOf(*matrix.row);
    if (dim &&
        strideOf(matrix.operand->value, *dim) != form.extents[matrix.column])
      return "it takes rows without gaps, the op has rows of " +
             std::to_string(form.extents[matrix.column]) +
             " elements with another stride";
  }
  return "";
}

/// The first kernel of `name` that takes `call`; null with a reason.
const Kernel *choose(const KernelRegistry &registry, const std::string &name,
                     const Call &call, std::string &reason) {
  std::vector<const Kernel *> kernels = registry.lookup(name);
  if (kernels.empty())
    reason = "no kernel of this name is registered";
  std::string sameType;
  for (const Kernel *kernel : kernels) {
    std::string why = refusal(*kernel, call);
    if (why.empty())
      return kernel;
    reason = why;
    // A refusal of the form says more than one of the type.
    if (kernel->type == print(call.contraction.c.element()))
      sameType = why;
  }
  if (!sameType.empty())
    reason = sameType;
  return nullptr;
}

/// Emits the calls in the place of the op.
class CallEmitter {
public:
  CallEmitter(OpBuilder &b, const Call &call, func::FuncOp callee)
      : b(b), loc(call.contraction.op->getLoc()), call(call), callee(callee) {}

  void emit() {
    for (const Matrix &matrix : matricesOf(call))
      metadata.push_back(memref::ExtractStridedMetadataOp::create(
          b, loc, matrix.operand->value));
    SmallVector<Value> position(call.contraction.extents.size());
    overLoops(call.outer, position);
  }

private:
  void overLoops(ArrayRef<unsigned> loops, SmallVector<Value> &position) {
    if (loops.empty())
      return emitCall(position);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value extent = arith::ConstantIndexOp::create(
        b, loc, call.contraction.extents[loops.front()]);
    auto loop = scf::ForOp::create(b, loc, zero, extent, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    position[loops.front()] = loop.getInductionVar();
    overLoops(loops.drop_front(), position);
  }

  Value toI64(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }

  /// The address of the first element at `position`.
  Value pointer(const Matrix &matrix, memref::ExtractStridedMetadataOp data,
                ArrayRef<Value> position) {
    Value offset = data.getOffset();
    for (auto [dim, loop] : llvm::enumerate(matrix.operand->loops)) {
      if (!position[loop])
        continue;
      Value distance =
          arith::MulIOp::create(b, loc, position[loop], data.getStrides()[dim]);
      offset = arith::AddIOp::create(b, loc, offset, distance);
    }
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(
        b, loc, matrix.operand->value);
    auto type = LLVM::LLVMPointerType::get(b.getContext());
    Value address = LLVM::IntToPtrOp::create(b, loc, type, toI64(base));
    return LLVM::GEPOp::create(b, loc, type, matrix.operand->element(), address,
                               ValueRange{toI64(offset)});
  }

  void emitCall(ArrayRef<Value> position) {
    const auto &extents = call.contraction.extents;
    SmallVector<Value> arguments;
    for (int64_t extent :
         {call.m ? extents[*call.m] : 1, extents[call.n], extents[call.k]})
      arguments.push_back(
          arith::ConstantIntOp::create(b, loc, b.getI64Type(), extent));
    for (auto [matrix, data] : llvm::zip(matricesOf(call), metadata)) {
      arguments.push_back(pointer(matrix, data, position));
      // One row: the distance to the next does not matter.
      Value stride =
          arith::ConstantIndexOp::create(b, loc, extents[matrix.column]);
      if (matrix.row && matrix.operand->uses(*matrix.row))
        stride = data.getStrides()[*matrix.operand->dimOf(*matrix.row)];
      arguments.push_back(toI64(stride));
    }
    func::CallOp::create(b, loc, callee, arguments);
  }

  OpBuilder &b;
  Location loc;
  const Call &call;
  func::FuncOp callee;
  SmallVector<memref::ExtractStridedMetadataOp> metadata;
};

/// The declaration of `symbol` in `module`, or a definition that is there. Null
/// if the symbol is something else.
func::FuncOp declare(ModuleOp module, StringRef symbol) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  Type i64 = b.getI64Type(), ptr = LLVM::LLVMPointerType::get(b.getContext());
  FunctionType type = b.getFunctionType(
      {i64, i64, i64, ptr, i64, ptr, i64, ptr, i64}, TypeRange());
  if (Operation *existing = module.lookupSymbol(symbol)) {
    auto callee = dyn_cast<func::FuncOp>(existing);
    return callee && callee.getFunctionType() == type ? callee : nullptr;
  }
  auto callee = func::FuncOp::create(b, module.getLoc(), symbol, type);
  callee.setPrivate();
  return callee;
}

struct PatchKernelsPass : impl::PatchKernelsPassBase<PatchKernelsPass> {
  using PatchKernelsPassBase::PatchKernelsPassBase;

  void runOnOperation() override {
    KernelRegistry registry = globalKernelRegistry();
    if (failed(registerOptionKernels(registry)))
      return signalPassFailure();
    if (!local.empty() && registry.lookup(local).empty()) {
      getOperation().emitError()
          << "option 'local': no kernel '" << local << "' is registered";
      return signalPassFailure();
    }
    SmallVector<linalg::LinalgOp> ops;
    bool failedAny = false;
    getOperation()->walk([&](Operation *op) {
      if (auto structured = dyn_cast<linalg::LinalgOp>(op))
        ops.push_back(structured);
      else if (op->hasAttr(kPatchAttrName)) {
        op->emitError() << "'" << op->getName() << "' carries '"
                        << kPatchAttrName << "' and is not a linalg op";
        failedAny = true;
      }
    });
    for (linalg::LinalgOp op : ops)
      failedAny |= failed(patch(op, registry));
    if (failedAny)
      signalPassFailure();
  }

  LogicalResult registerOptionKernels(KernelRegistry &registry) {
    if (kernels.size() % 4 != 0)
      return getOperation().emitError()
             << "option 'kernel' has " << kernels.size()
             << " words, expected four for each kernel: name,form,type,symbol";
    for (size_t i = 0; i < kernels.size(); i += 4) {
      Kernel kernel;
      kernel.name = kernels[i];
      kernel.type = kernels[i + 2];
      kernel.symbol = kernels[i + 3];
      if (!parseForm(kernels[i + 1], kernel))
        return getOperation().emitError()
               << "option 'kernel': form '" << kernels[i + 1] << "' of kernel '"
               << kernel.name << "' is not one of nn, nt, tn, tt";
      if (std::string why = registry.registerKernel(kernel); !why.empty())
        return getOperation().emitError() << "option 'kernel': " << why;
    }
    return success();
  }

  /// Fails only if the attribute of `op` asked for a kernel that refuses it.
  LogicalResult patch(linalg::LinalgOp op, const KernelRegistry &registry) {
    Attribute attribute = op->getAttr(kPatchAttrName);
    if (!attribute && local.empty())
      return success();
    // The dialect has verified that the attribute is a name.
    std::string name =
        attribute ? cast<StringAttr>(attribute).str() : std::string(local);
    std::string reason;
    const Kernel *kernel = nullptr;
    FailureOr<Call> call = failure();
    if (!op.hasPureBufferSemantics())
      reason = "the op does not work on memrefs";
    else
      call = matchCall(op, reason);
    if (succeeded(call))
      kernel = choose(registry, name, *call, reason);
    func::FuncOp callee;
    if (kernel) {
      callee = declare(getOperation(), kernel->symbol);
      if (!callee)
        reason = "symbol '" + kernel->symbol +
                 "' is not a function of the kernel ABI";
    }
    if (!callee) {
      if (!attribute)
        return success();
      return op.emitError()
             << "kernel '" << name << "' does not take this op: " << reason;
    }
    OpBuilder b(op);
    CallEmitter(b, *call, callee).emit();
    op.erase();
    ++numPatched;
    return success();
  }
};
} // namespace
} // namespace mercury
