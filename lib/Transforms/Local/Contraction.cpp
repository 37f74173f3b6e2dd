//===- Contraction.cpp - A contraction as plain data ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mercury {

std::optional<unsigned> Contraction::Operand::dimOf(unsigned loop) const {
  const auto *it = llvm::find(loops, loop);
  if (it == loops.end())
    return std::nullopt;
  return it - loops.begin();
}

std::optional<unsigned> Contraction::Operand::lastLoop() const {
  if (loops.empty())
    return std::nullopt;
  return loops.back();
}

SmallVector<unsigned> Contraction::loopsOf(Role role) const {
  SmallVector<unsigned> found;
  for (auto [loop, of] : llvm::enumerate(roles))
    if (of == role)
      found.push_back(loop);
  return found;
}

std::optional<unsigned> Contraction::largestLoop(Role role) const {
  std::optional<unsigned> best;
  for (unsigned loop : loopsOf(role))
    if (!best || extents[loop] > extents[*best])
      best = loop;
  return best;
}

int64_t Contraction::extentOf(Role role) const {
  int64_t product = 1;
  for (unsigned loop : loopsOf(role))
    product *= extents[loop];
  return product;
}

int64_t Contraction::flops() const {
  int64_t product = 2;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

void Contraction::swapInputs() {
  std::swap(a, b);
  for (Role &role : roles)
    role = role == Role::M ? Role::N : role == Role::N ? Role::M : role;
}

namespace {
/// Skips extensions to wider floats.
Value skipExtensions(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value;
}

/// True if the body is `out + in0 * in1` in the type of `out`.
bool isMultiplyAdd(Block &body) {
  if (body.getNumArguments() != 3 ||
      body.getTerminator()->getNumOperands() != 1)
    return false;
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value out = body.getArgument(2), product;
  if (add.getLhs() == out)
    product = add.getRhs();
  else if (add.getRhs() == out)
    product = add.getLhs();
  auto mul = product ? product.getDefiningOp<arith::MulFOp>() : nullptr;
  if (!mul)
    return false;
  Value lhs = skipExtensions(mul.getLhs()), rhs = skipExtensions(mul.getRhs());
  return (lhs == body.getArgument(0) && rhs == body.getArgument(1)) ||
         (lhs == body.getArgument(1) && rhs == body.getArgument(0));
}

/// The loop of each dimension of an operand; nothing unless every dimension is
/// one loop.
std::optional<SmallVector<unsigned>> loopsOfMap(AffineMap map) {
  if (!map.isProjectedPermutation())
    return std::nullopt;
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return loops;
}

std::optional<Contraction::Role> roleOf(bool inA, bool inB, bool inC) {
  using Role = Contraction::Role;
  if (inA && inB)
    return inC ? Role::Batch : Role::K;
  if (inC && inA)
    return Role::M;
  if (inC && inB)
    return Role::N;
  return std::nullopt;
}
} // namespace

FailureOr<Contraction> matchContraction(linalg::LinalgOp op,
                                        std::string *reason) {
  auto fail = [&](const Twine &why) {
    if (reason)
      *reason = why.str();
    return failure();
  };
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return fail("it has not two inputs and one output");
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<RankedTensorType, MemRefType>(operand.get().getType()))
      return fail("operand " + Twine(operand.getOperandNumber()) +
                  " is neither a ranked tensor nor a memref");
  if (!isMultiplyAdd(*op.getBlock()))
    return fail("its body is not a multiply and an add");
  Contraction result;
  result.op = op;
  Contraction::Operand *operands[] = {&result.a, &result.b, &result.c};
  for (auto [index, map] : llvm::enumerate(op.getIndexingMapsArray())) {
    std::optional<SmallVector<unsigned>> loops = loopsOfMap(map);
    if (!loops)
      return fail("operand " + Twine(index) +
                  " has a dimension that is not indexed by one loop of its "
                  "own");
    *operands[index] = {op->getOperand(index), *loops};
  }
  result.extents = op.getStaticLoopRanges();
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (ShapedType::isDynamic(result.extents[loop]))
      return fail("the extent of loop " + Twine(loop) + " is dynamic");
    std::optional<Contraction::Role> role =
        roleOf(result.a.uses(loop), result.b.uses(loop), result.c.uses(loop));
    if (!role || (*role == Contraction::Role::K) !=
                     (type == utils::IteratorType::reduction))
      return fail("loop " + Twine(loop) + " runs over one operand only");
    result.roles.push_back(*role);
  }
  if (result.loopsOf(Contraction::Role::K).empty())
    return fail("it has no reduction loop");
  return result;
}

} // namespace mercury
