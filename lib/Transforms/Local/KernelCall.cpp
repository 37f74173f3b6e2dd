//===- KernelCall.cpp - What is computed, as calls of a kernel ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCall.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Local/Contraction.h"
#include "Mercury/Transforms/Local/KernelRefusal.h"
#include "Mercury/Transforms/Local/KernelRegistry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using mercury::commir::OnlineAttentionOp;
using Role = mercury::Contraction::Role;

namespace mercury {

Type KernelCall::Buffer::element() const {
  return getElementTypeOrSelf(memref.getType());
}

std::optional<unsigned> KernelCall::Buffer::rowDim() const {
  const auto *it = row ? llvm::find(loops, *row) : loops.end();
  if (it == loops.end())
    return std::nullopt;
  return it - loops.begin();
}

/// The stride of dimension `dim`, dynamic where it is not static; of a tensor
/// that of a contiguous buffer.
static int64_t strideOf(Value value, unsigned dim) {
  auto memref = dyn_cast<MemRefType>(value.getType());
  if (!memref) {
    auto tensor = cast<RankedTensorType>(value.getType());
    memref = MemRefType::get(tensor.getShape(), tensor.getElementType());
  }
  auto [strides, offset] = memref.getStridesAndOffset();
  return strides[dim];
}

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// All memrefs among the operands have strides. Fails with `reason`.
static LogicalResult haveStrides(Operation *op, std::string &reason) {
  for (Value operand : op->getOperands()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (type && failed(type.getStridesAndOffset(strides, offset)))
      return reason = "type '" + print(type) + "' has no strides", failure();
  }
  return success();
}

/// Finds the matrices of a contraction: the dimension of C that is contiguous
/// is n. Fails with `reason`.
static FailureOr<KernelCall> matchContractionCall(linalg::LinalgOp op,
                                                  std::string &reason) {
  FailureOr<Contraction> contraction = matchContraction(op, &reason);
  if (failed(contraction) || failed(haveStrides(op, reason)))
    return failure();
  Contraction &form = *contraction;
  /// The loop of the dimension of `operand` that is contiguous; last first.
  auto contiguous = [&](const Contraction::Operand &operand, auto &&accept) {
    for (unsigned dim = operand.loops.size(); dim-- > 0;)
      if (strideOf(operand.value, dim) == 1 && accept(operand.loops[dim]))
        return std::optional<unsigned>(operand.loops[dim]);
    return std::optional<unsigned>();
  };
  std::optional<unsigned> n = contiguous(form.c, [&](unsigned loop) {
    return form.roles[loop] == Role::N || form.roles[loop] == Role::M;
  });
  if (!n)
    return reason = "no row or column of the output has stride 1", failure();
  if (form.roles[*n] == Role::M)
    form.swapInputs();
  std::optional<unsigned> m = form.largestLoop(Role::M);
  // B: contiguous along n, or along a reduction; A: the same, or along m.
  std::optional<unsigned> kB = contiguous(form.b, [&](unsigned loop) {
    return loop == *n || form.roles[loop] == Role::K;
  });
  if (!kB)
    return reason = "the second input is contiguous along neither its columns "
                    "nor the reduction",
           failure();
  bool transposeB = *kB != *n;
  std::optional<unsigned> kA = contiguous(form.a, [&](unsigned loop) {
    return transposeB
               ? loop == *kB || form.roles[loop] == Role::M
               : form.roles[loop] == Role::K || form.roles[loop] == Role::M;
  });
  if (!kA)
    return reason = "the first input is contiguous along neither its rows nor "
                    "the reduction",
           failure();
  bool transposeA = form.roles[*kA] == Role::M;
  if (transposeA)
    m = *kA;
  unsigned k = transposeB    ? *kB
               : !transposeA ? *kA
                             : *form.largestLoop(Role::K);

  KernelCall call;
  call.op = op;
  call.form = std::string(transposeA ? "t" : "n") + (transposeB ? "t" : "n");
  call.extents = form.extents;
  for (unsigned loop = 0; loop < form.roles.size(); ++loop)
    if (loop != *n && loop != k && m != loop)
      call.outer.push_back(loop);
  call.sizes = {m ? form.extents[*m] : 1, form.extents[*n], form.extents[k]};
  auto add = [&](const Contraction::Operand &operand,
                 std::optional<unsigned> row, unsigned column) {
    call.buffers.push_back({operand.value, operand.loops, column, true, row});
  };
  // m may be absent: extent 1.
  if (transposeA)
    add(form.a, k, *m);
  else
    add(form.a, m, k);
  if (transposeB)
    add(form.b, *n, k);
  else
    add(form.b, k, *n);
  add(form.c, m, *n);
  call.numInputs = 2;
  return call;
}

/// Feature dimensions of all matrices, and the rows of what is one number per
/// query, have to be contiguous. Fails with `reason`.
static FailureOr<KernelCall> matchAttentionCall(OnlineAttentionOp op,
                                                std::string &reason) {
  if (failed(haveStrides(op, reason)))
    return failure();
  if (op.getMask())
    return reason = "the op has a mask", failure();
  bool hasPositions =
      op.getVisibleAttr() || op.getQueryOrderAttr() || op.getKeyOrderAttr();
  if (hasPositions && isa<MemRefType>(op.getQuery().getType()))
    return reason = "the op has a mask that is not ranges of its keys yet",
           failure();
  KernelCall call;
  call.op = op;
  call.form = op.getKeyBegin() || hasPositions ? Kernel::maskedAttention
                                               : Kernel::attention;
  call.extents = op.getMapExtents();
  if (llvm::any_of(call.extents, ShapedType::isDynamic))
    return reason = "the op has dynamic extents", failure();
  unsigned query = op.getQueryLoop(), key = op.getKeyLoop(), d = key + 1,
           e = key + 2;
  for (unsigned loop = 0; loop < query; ++loop)
    call.outer.push_back(loop);
  call.sizes = {call.extents[query], call.extents[key], call.extents[d],
                call.extents[e]};
  call.valid = op.getValid();
  call.scale = op.getScale().convertToDouble();
  call.numInputs = 3;
  struct Form {
    const char *name;
    std::optional<unsigned> row;
    unsigned column;
  };
  const Form forms[] = {{"query", query, d},
                        {"key", key, d},
                        {"value", key, e},
                        {"accumulator", query, e},
                        {"maximum", std::nullopt, query},
                        {"sum", std::nullopt, query},
                        {"range of keys", std::nullopt, query},
                        {"range of keys", std::nullopt, query}};
  SmallVector<OpOperand *> operands = {
      &op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable()};
  for (OpOperand &output : op.getOutputsMutable())
    operands.push_back(&output);
  if (op.getKeyBegin()) {
    operands.push_back(&op.getKeyBeginMutable()[0]);
    operands.push_back(&op.getKeyEndMutable()[0]);
  }
  for (auto [operand, form] : llvm::zip(operands, forms)) {
    SmallVector<unsigned> loops;
    for (AffineExpr expr : op.getMap(*operand).getResults())
      loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    unsigned dim = llvm::find(loops, form.column) - loops.begin();
    if (dim == loops.size() || strideOf(operand->get(), dim) != 1)
      return reason = std::string("the ") + form.name +
                      " is not contiguous along its " +
                      (form.row ? "features" : "queries"),
             failure();
    call.buffers.push_back(
        {operand->get(), loops, form.column, form.row.has_value(), form.row});
  }
  return call;
}

static FailureOr<KernelCall> match(Operation *op, std::string &reason) {
  if (auto attention = dyn_cast<OnlineAttentionOp>(op))
    return matchAttentionCall(attention, reason);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return matchContractionCall(linalgOp, reason);
  return reason = "it is neither a contraction nor online attention", failure();
}

FailureOr<KernelCall> matchKernelCall(Operation *op, std::string &reason) {
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
    return reason = "the op does not work on memrefs", failure();
  return match(op, reason);
}

std::string kernelRefusal(Operation *op, const std::string &name,
                          const KernelRegistry &registry) {
  std::string reason;
  FailureOr<KernelCall> call = match(op, reason);
  return succeeded(call) && chooseKernel(registry, name, *call, reason)
             ? ""
             : reason;
}

std::string KernelCall::refusal(const Kernel &kernel) const {
  bool isAttention =
      form == Kernel::attention || form == Kernel::maskedAttention;
  if (isAttention != kernel.isAttention)
    return std::string("it computes ") +
           (isAttention ? "contractions" : "attention") + ", the op is " +
           (isAttention ? "attention" : "a contraction");
  std::string types, wanted;
  for (const Buffer &input : ArrayRef(buffers).take_front(numInputs)) {
    types += (types.empty() ? "" : ", ") + print(input.element());
    wanted += (wanted.empty() ? "" : ", ") + kernel.type;
  }
  types += " -> " + print(buffers[numInputs].element());
  wanted += " -> " + kernel.stateType();
  if (types != wanted)
    return "it takes " + wanted + ", the op has " + types;
  if (kernel.form() != form)
    return "it takes the form " + kernel.form() + ", the op has " + form;
  if (kernel.layout == Kernel::Layout::UnitStride)
    return "";
  for (const Buffer &buffer : buffers)
    if (std::optional<unsigned> dim = buffer.rowDim();
        dim && strideOf(buffer.memref, *dim) != extents[buffer.column])
      return "it takes rows without gaps, the op has rows of " +
             std::to_string(extents[buffer.column]) +
             " elements with another stride";
  return "";
}

const Kernel *chooseKernel(const KernelRegistry &registry,
                           const std::string &name, const KernelCall &call,
                           std::string &reason) {
  std::vector<const Kernel *> kernels = registry.lookup(name);
  if (kernels.empty())
    reason = "no kernel of this name is registered";
  std::string sameType, outputType;
  llvm::raw_string_ostream(outputType)
      << call.buffers[call.numInputs].element();
  for (const Kernel *kernel : kernels) {
    std::string why = call.refusal(*kernel);
    if (why.empty())
      return kernel;
    reason = why;
    // A refusal of the form says more than one of the type.
    if (kernel->stateType() == outputType)
      sameType = why;
  }
  if (!sameType.empty())
    reason = sameType;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
/// Emits the calls in the place of the op.
class CallEmitter {
public:
  CallEmitter(OpBuilder &b, const KernelCall &call, func::FuncOp callee)
      : b(b), loc(call.op->getLoc()), call(call), callee(callee),
        position(call.extents.size()) {}

  void emit() {
    emitLeading();
    for (const KernelCall::Buffer &buffer : call.buffers)
      metadata.push_back(
          memref::ExtractStridedMetadataOp::create(b, loc, buffer.memref));
    overLoops(call.outer);
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value toI64(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }

  /// The arguments that are the same for each call.
  void emitLeading() {
    for (int64_t size : call.sizes)
      leading.push_back(
          arith::ConstantIntOp::create(b, loc, b.getI64Type(), size));
    if (call.valid) {
      Value some = arith::MaxSIOp::create(b, loc, call.valid, index(0));
      leading[1] =
          arith::MinSIOp::create(b, loc, leading[1], toI64(some)).getResult();
    }
    if (call.scale)
      leading.push_back(
          arith::ConstantOp::create(b, loc, b.getF64FloatAttr(*call.scale)));
  }

  void overLoops(ArrayRef<unsigned> loops) {
    if (loops.empty())
      return emitCall();
    auto loop = scf::ForOp::create(
        b, loc, index(0), index(call.extents[loops.front()]), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    position[loops.front()] = loop.getInductionVar();
    overLoops(loops.drop_front());
  }

  /// The address of the first element at the current position.
  Value pointer(const KernelCall::Buffer &buffer,
                memref::ExtractStridedMetadataOp data) {
    Value offset = data.getOffset();
    for (auto [dim, loop] : llvm::enumerate(buffer.loops)) {
      if (!position[loop])
        continue;
      Value distance =
          arith::MulIOp::create(b, loc, position[loop], data.getStrides()[dim]);
      offset = arith::AddIOp::create(b, loc, offset, distance);
    }
    Value base =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer.memref);
    auto type = LLVM::LLVMPointerType::get(b.getContext());
    Value address = LLVM::IntToPtrOp::create(b, loc, type, toI64(base));
    return LLVM::GEPOp::create(b, loc, type, buffer.element(), address,
                               ValueRange{toI64(offset)});
  }

  void emitCall() {
    SmallVector<Value> arguments(leading);
    for (auto [buffer, data] : llvm::zip(call.buffers, metadata)) {
      arguments.push_back(pointer(buffer, data));
      if (!buffer.isMatrix)
        continue;
      // One row: the distance to the next does not matter.
      std::optional<unsigned> dim = buffer.rowDim();
      arguments.push_back(toI64(dim ? Value(data.getStrides()[*dim])
                                    : index(call.extents[buffer.column])));
    }
    func::CallOp::create(b, loc, callee, arguments);
  }

  OpBuilder &b;
  Location loc;
  const KernelCall &call;
  func::FuncOp callee;
  SmallVector<Value> position; ///< of the outer loops
  SmallVector<Value> leading;
  SmallVector<memref::ExtractStridedMetadataOp> metadata;
};
} // namespace

/// The declaration of `symbol` in `module`, or a definition that is there. Null
/// if the symbol is something else.
static func::FuncOp declare(ModuleOp module, StringRef symbol,
                            TypeRange arguments) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  FunctionType type = b.getFunctionType(arguments, TypeRange());
  if (Operation *existing = module.lookupSymbol(symbol)) {
    auto callee = dyn_cast<func::FuncOp>(existing);
    return callee && callee.getFunctionType() == type ? callee : nullptr;
  }
  auto callee = func::FuncOp::create(b, module.getLoc(), symbol, type);
  callee.setPrivate();
  return callee;
}

LogicalResult KernelCall::emit(OpBuilder &b, StringRef symbol) const {
  SmallVector<Type> types(sizes.size(), b.getI64Type());
  if (scale)
    types.push_back(b.getF64Type());
  for (const Buffer &buffer : buffers) {
    types.push_back(LLVM::LLVMPointerType::get(b.getContext()));
    if (buffer.isMatrix)
      types.push_back(b.getI64Type());
  }
  func::FuncOp callee = declare(op->getParentOfType<ModuleOp>(), symbol, types);
  if (!callee)
    return failure();
  CallEmitter(b, *this, callee).emit();
  return success();
}

} // namespace mercury
