//===- KernelRanges.cpp - The keys that rows of a kernel see --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mercury-materialize-masks leaves ranges of keys in buffers. A kernel writes
// them by index arithmetic, of which the numbers are known when ranks are
// played.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/BufferEffects.h"
#include "Mercury/Analysis/IndexEvaluation.h"
#include "Mercury/Analysis/KernelWork.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Rows that are looked at: ranges grow with their rows, mostly evenly.
static constexpr int64_t kSamples = 32;

/// The argument of the function that `buffer` is, or is a view of.
static std::optional<unsigned> argumentOf(Value buffer) {
  auto roots = rootsOf(buffer);
  auto argument =
      roots.size() == 1 ? dyn_cast<BlockArgument>(roots.front()) : nullptr;
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return std::nullopt;
  return argument.getArgNumber();
}

std::optional<std::pair<unsigned, unsigned>>
mercury::findKeyRanges(func::FuncOp kernel) {
  std::optional<std::pair<unsigned, unsigned>> found;
  kernel.walk([&](OnlineAttentionOp op) {
    if (!op.getKeyBegin())
      return;
    std::optional<unsigned> begin = argumentOf(op.getKeyBegin()),
                            end = argumentOf(op.getKeyEnd());
    if (begin && end)
      found = {*begin, *end};
  });
  return found;
}

namespace {
/// An op that computes elements, and which of its outputs is wanted.
struct Producer {
  linalg::GenericOp op;
  unsigned output = 0;
};
} // namespace

/// The last op of the kernel that writes to its argument.
static Producer findProducer(func::FuncOp kernel, unsigned argument) {
  Producer found;
  kernel.walk([&](linalg::LinalgOp op) {
    for (auto [output, init] : llvm::enumerate(op.getDpsInits()))
      if (argumentOf(init) == argument)
        found = {dyn_cast<linalg::GenericOp>(op.getOperation()),
                 static_cast<unsigned>(output)};
  });
  return found;
}

/// What the producer writes at a point of its loops.
static std::optional<int64_t> evaluateAt(Producer producer,
                                         ArrayRef<int64_t> point,
                                         llvm::DenseMap<Value, int64_t> known) {
  Block *body = producer.op.getBody();
  for (auto index : body->getOps<linalg::IndexOp>())
    known[index.getResult()] = point[index.getDim()];
  return evaluateIndex(body->getTerminator()->getOperand(producer.output),
                       known);
}

std::optional<double>
mercury::evaluateKeyRanges(func::FuncOp kernel, unsigned begin, unsigned end,
                           ArrayRef<std::optional<int64_t>> numbers,
                           double keys) {
  Producer first = findProducer(kernel, begin),
           last = findProducer(kernel, end);
  if (!first.op || !last.op || keys <= 0)
    return std::nullopt;
  SmallVector<int64_t> extents = first.op.getStaticLoopRanges();
  int64_t rows = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    rows *= extent;
  }
  if (rows == 0 || last.op.getStaticLoopRanges() != extents)
    return std::nullopt;
  llvm::DenseMap<Value, int64_t> known;
  for (auto [argument, number] : llvm::zip(kernel.getArguments(), numbers))
    if (number)
      known[argument] = *number;
  int64_t samples = std::min(rows, kSamples);
  double seen = 0;
  for (int64_t sample = 0; sample < samples; ++sample) {
    // The middle of each sample's rows.
    int64_t rest = (2 * sample + 1) * rows / (2 * samples);
    SmallVector<int64_t> point(extents.size());
    for (size_t dim = extents.size(); dim-- > 0;) {
      point[dim] = rest % extents[dim];
      rest /= extents[dim];
    }
    std::optional<int64_t> from = evaluateAt(first, point, known),
                           to = evaluateAt(last, point, known);
    if (!from || !to)
      return std::nullopt;
    seen += std::max<int64_t>(*to - *from, 0);
  }
  return seen / (samples * keys);
}
