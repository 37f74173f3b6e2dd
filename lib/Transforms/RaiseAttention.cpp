//===- RaiseAttention.cpp - Softmax between contractions to attention -----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/AttentionMatch.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
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

namespace {
/// A tensor and how the maps' domain indexes it.
struct Indexed {
  Value tensor;
  AffineMap map;
};
} // namespace

static SmallVector<int64_t> shapeOf(const AttentionMatch &match,
                                    ArrayRef<unsigned> dims) {
  return llvm::map_to_vector(dims,
                             [&](unsigned dim) { return match.extents[dim]; });
}

static AffineMap mapOf(OpBuilder &b, const AttentionMatch &match,
                       ArrayRef<unsigned> dims) {
  return AffineMap::getMultiDimMapWithTargets(match.extents.size(), dims,
                                              b.getContext());
}

static Indexed makeOperand(OpBuilder &b, const AttentionMatch &match,
                           const AttentionOperand &operand) {
  return {reshapeTensor(b, match.root->getLoc(), operand.tensor,
                        shapeOf(match, operand.dims)),
          mapOf(b, match, operand.dims)};
}

/// Several masks, and those with a factor, are added up in the state's type.
static Indexed makeMask(OpBuilder &b, const AttentionMatch &match) {
  ArrayRef<AttentionMask> masks = match.masks;
  if (masks.size() == 1 && masks[0].factor == 1)
    return makeOperand(b, match, masks[0].operand);
  Location loc = match.root->getLoc();
  // Over the dimensions that any of them has.
  SmallVector<Indexed> terms;
  SmallVector<unsigned> dims;
  FloatType type = b.getF32Type();
  for (const AttentionMask &mask : masks) {
    terms.push_back(makeOperand(b, match, mask.operand));
    if (getElementTypeOrSelf(terms.back().tensor).isF64())
      type = b.getF64Type();
    for (unsigned dim : mask.operand.dims)
      if (!llvm::is_contained(dims, dim))
        dims.push_back(dim);
  }
  llvm::sort(dims);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [term, mask] : llvm::zip(terms, masks)) {
    inputs.push_back(term.tensor);
    SmallVector<unsigned> at;
    for (unsigned dim : mask.operand.dims)
      at.push_back(llvm::find(dims, dim) - dims.begin());
    maps.push_back(
        AffineMap::getMultiDimMapWithTargets(dims.size(), at, b.getContext()));
  }
  maps.push_back(b.getMultiDimIdentityMap(dims.size()));
  Value empty = tensor::EmptyOp::create(b, loc, shapeOf(match, dims), type);
  SmallVector<utils::IteratorType> loops(dims.size(),
                                         utils::IteratorType::parallel);
  auto sum = linalg::GenericOp::create(
      b, loc, empty.getType(), inputs, empty, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value sum;
        for (auto [arg, mask] : llvm::zip(args.drop_back(), masks)) {
          Value term = arg;
          if (term.getType() != type)
            term = arith::ExtFOp::create(b, loc, type, term);
          if (mask.factor != 1)
            term = arith::MulFOp::create(
                b, loc, term,
                arith::ConstantOp::create(b, loc,
                                          b.getFloatAttr(type, mask.factor)));
          sum = sum ? arith::AddFOp::create(b, loc, sum, term) : term;
        }
        linalg::YieldOp::create(b, loc, sum);
      });
  return {sum.getResult(0), mapOf(b, match, dims)};
}

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
  maps.push_back(mapOf(b, match, match.result.dims));
  auto type = cast<RankedTensorType>(match.result.tensor.getType());
  Value output = tensor::EmptyOp::create(
      b, loc, shapeOf(match, match.result.dims), type.getElementType());
  auto attention = AttentionOp::create(
      b, loc, output.getType(), b.getAffineMapArrayAttr(maps), query.tensor,
      key.tensor, value.tensor, mask.tensor, /*valid=*/Value(),
      /*query_start=*/Value(), /*key_start=*/Value(), /*key_begin=*/Value(),
      /*key_end=*/Value(), output, b.getF64FloatAttr(match.scale),
      /*visible=*/MaskAttr(), /*query_order=*/TokenOrderAttr(),
      /*key_order=*/TokenOrderAttr());
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
    operands.push_back(mask.operand.tensor);
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
    OpBuilder b(match.root);
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
