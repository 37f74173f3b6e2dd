//===- RaiseAttention.cpp - Softmax between contractions to attention -----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/AttentionMatch.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/RowsWithoutKeys.h"
#include "Mercury/Transforms/Passes.h"
#include "RaisedOperands.h"
#include "ReshapeTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mercury {
#define GEN_PASS_DEF_RAISEATTENTIONPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// The value that takes the place of the root's result.
static Value buildAttention(OpBuilder &b, const AttentionMatch &match) {
  Location loc = match.root->getLoc();
  Indexed query = makeOperand(b, match, match.query),
          key = makeOperand(b, match, match.key),
          value = makeOperand(b, match, match.value), mask;
  SmallVector<AffineMap> maps{query.map, key.map, value.map};
  if (!match.masks.empty()) {
    mask = makeMask(b, match);
    maps.push_back(mask.map);
  }
  std::pair<Indexed, Indexed> range;
  if (match.ranges) {
    range = makeKeyRange(b, match);
    maps.append({range.first.map, range.second.map});
  }
  Value valid;
  if (match.valid)
    valid = arith::ConstantIndexOp::create(b, loc, *match.valid);
  MaskAttr visible;
  if (!match.visible.isEverything())
    visible = MaskAttr::get(b.getContext(), match.visible);
  maps.push_back(mapOf(b, match, match.result.dims));
  auto type = cast<RankedTensorType>(match.result.tensor.getType());
  Value output = tensor::EmptyOp::create(
      b, loc, shapeOf(match, match.result.dims), type.getElementType());
  auto attention = AttentionOp::create(
      b, loc, output.getType(), b.getAffineMapArrayAttr(maps), query.tensor,
      key.tensor, value.tensor, mask.tensor, valid, /*query_start=*/Value(),
      /*key_start=*/Value(), range.first.tensor, range.second.tensor, output,
      b.getF64FloatAttr(match.scale), visible,
      /*query_order=*/TokenOrderAttr(), /*key_order=*/TokenOrderAttr());
  return reshapeTensor(b, loc, attention->getResult(0), type.getShape());
}

//===----------------------------------------------------------------------===//
// Whether raising leaves nothing to be computed twice
//===----------------------------------------------------------------------===//

/// Ops of the block of `root` that it depends on.
static DenseSet<Operation *> sourcesOf(Operation *root) {
  DenseSet<Operation *> sources;
  SmallVector<Operation *> work{root};
  while (!work.empty())
    work.pop_back_val()->walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (def && def->getBlock() == root->getBlock() &&
            sources.insert(def).second)
          work.push_back(def);
      }
    });
  return sources;
}

/// An op that reads the scores or what follows from them, and that the root
/// does not need: with it they would have to be computed all the same.
/// Both stand in one block.
static Operation *findOtherReader(const AttentionMatch &match) {
  Operation *root = match.root, *scores = match.scores;
  // Operands that depend on the scores.
  SmallVector<Value> operands{match.query.tensor, match.key.tensor,
                              match.value.tensor};
  for (const AttentionMask &mask : match.masks)
    for (const AttentionOperand &operand : mask.operands)
      operands.push_back(operand.tensor);
  for (Value operand : operands)
    if (Operation *def = operand.getDefiningOp();
        def && (def == scores || sourcesOf(def).contains(scores)))
      return def;
  DenseSet<Operation *> sources = sourcesOf(root);
  SmallVector<Operation *> work{scores};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    for (Operation *user : work.pop_back_val()->getUsers()) {
      Operation *reader = root->getBlock()->findAncestorOpInBlock(*user);
      if (reader == root || (reader && !seen.insert(reader).second))
        continue;
      if (!reader || !sources.contains(reader) || !isMemoryEffectFree(reader))
        return user;
      work.push_back(reader);
    }
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Sums of products that read `anchor`, through other operators that compute
/// element by element.
static SmallVector<linalg::LinalgOp> findReaders(Operation *anchor) {
  SmallVector<linalg::LinalgOp> readers;
  SmallVector<Operation *> work{anchor};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (!seen.insert(user).second)
        continue;
      auto op = dyn_cast<linalg::LinalgOp>(user);
      if (op && isSumOfProducts(op))
        readers.push_back(op);
      else if (op ? op.getNumLoops() == op.getNumParallelLoops()
                  : isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user) ||
                        OpTrait::hasElementwiseMappableTraits(user))
        work.push_back(user);
    }
  return readers;
}

static void explain(const Refusal &refusal) {
  refusal.op->emitRemark() << "'" << refusal.op->getName()
                           << "' is not raised to attention: "
                           << refusal.reason;
}

namespace {
struct RaiseAttentionPass
    : public mercury::impl::RaiseAttentionPassBase<RaiseAttentionPass> {
  using RaiseAttentionPassBase::RaiseAttentionPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> anchors;
    getOperation().walk([&](Operation *op) {
      if (isSoftmaxAnchor(op))
        anchors.push_back(op);
    });
    for (Operation *anchor : anchors) {
      Refusal refusal;
      if (!erased.contains(anchor) && !raise(anchor, refusal))
        explain(refusal);
    }
    erased.clear();
  }

private:
  /// Raises the attention whose softmax is at `anchor`.
  bool raise(Operation *anchor, Refusal &refusal) {
    for (linalg::LinalgOp reader : findReaders(anchor)) {
      Refusal why;
      std::optional<AttentionMatch> match = matchAttention(reader, why);
      if (match && match->scores->getBlock() != reader->getBlock()) {
        why = {match->scores, "it stands in another block than what multiplies "
                              "weights by values"};
      } else if (match) {
        Operation *other = findOtherReader(*match);
        if (!other) {
          replace(*match);
          return true;
        }
        why = {other, "it reads scores or weights, which attention does not "
                      "give"};
      }
      if (!refusal.op)
        refusal = why;
    }
    if (refusal.op)
      return false;
    refusal.op = anchor;
    refusal.reason =
        llvm::all_of(anchor->getOperandTypes(),
                     [](Type type) {
                       auto shaped = dyn_cast<ShapedType>(type);
                       return !shaped || (shaped.hasStaticShape() &&
                                          shaped.getNumElements() != 0);
                     })
            ? "no contraction over the keys alone multiplies it by values"
            : "its shapes are dynamic or empty";
    return false;
  }

  void replace(const AttentionMatch &match) {
    for (const std::string &remark : match.remarks)
      match.scores->emitRemark()
          << "a mask of the scores of '" << match.scores->getName()
          << "' is added, not raised to structure: " << remark;
    OpBuilder b(match.root);
    if (match.rowsWithoutKeys) {
      auto before =
          getOperation()->getAttrOfType<IntegerAttr>(kRowsWithoutKeysAttrName);
      getOperation()->setAttr(
          kRowsWithoutKeysAttrName,
          b.getI64IntegerAttr(match.rowsWithoutKeys +
                              (before ? before.getInt() : 0)));
    }
    Value result = buildAttention(b, match);
    match.root->getResult(0).replaceAllUsesWith(result);
    eraseDead(match.root);
    ++numRaised;
  }

  /// Erases `op` and what is computed for it alone.
  void eraseDead(Operation *op) {
    SmallVector<Operation *> work{op};
    while (!work.empty()) {
      Operation *dead = work.pop_back_val();
      SetVector<Operation *> sources;
      dead->walk([&](Operation *inside) {
        for (Value operand : inside->getOperands())
          if (Operation *def = operand.getDefiningOp();
              def && !dead->isAncestor(def))
            sources.insert(def);
      });
      erased.insert(dead);
      dead->erase();
      for (Operation *source : sources)
        if (isOpTriviallyDead(source))
          work.push_back(source);
    }
  }

  llvm::SmallPtrSet<Operation *, 32> erased;
};
} // namespace
