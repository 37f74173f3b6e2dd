//===- ScoreMatch.cpp - What a softmax of attention is taken of -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/AttentionMatch.h"
#include "Mercury/Analysis/RowEvaluation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mercury;

/// How deep sums of masks are opened.
static constexpr unsigned kDepth = 8;

namespace {
/// A term times a number.
struct Scaled {
  const Term *term;
  double factor;
};
} // namespace

/// Takes a constant factor off.
static std::optional<Scaled> takeFactor(TensorTerms &terms, const Term *term) {
  if (term->kind == Term::Kind::Div) {
    if (std::optional<double> value = terms.getConstant(term->rhs))
      return Scaled{term->lhs, 1 / *value};
  } else if (term->kind == Term::Kind::Mul) {
    if (std::optional<double> value = terms.getConstant(term->lhs))
      return Scaled{term->rhs, *value};
    if (std::optional<double> value = terms.getConstant(term->rhs))
      return Scaled{term->lhs, *value};
  }
  return std::nullopt;
}

std::optional<Product> mercury::getProduct(TensorTerms &terms,
                                           const Reduction &reduction) {
  const Term *term = reduction.body;
  double factor = 1;
  while (std::optional<Scaled> scaled = takeFactor(terms, term)) {
    term = scaled->term;
    factor *= scaled->factor;
  }
  if (reduction.kind != Reduction::Kind::Sum || term->kind != Term::Kind::Mul)
    return std::nullopt;
  Product product{term->lhs, term->rhs, factor};
  for (const Term **side : {&product.lhs, &product.rhs})
    while (!(*side)->isRead()) {
      std::optional<Scaled> scaled = takeFactor(terms, *side);
      if (!scaled)
        return std::nullopt;
      *side = scaled->term;
      product.factor *= scaled->factor;
    }
  return product;
}

bool mercury::isSumOfProducts(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return false;
  TensorTerms terms;
  const Term *result = terms.readResult(op);
  std::optional<Reduction> sum;
  if (result)
    sum = terms.openReduction(result);
  return sum && getProduct(terms, *sum);
}

//===----------------------------------------------------------------------===//
// Terms that are added
//===----------------------------------------------------------------------===//

/// Whether constants and indices tell what `term` is; asked of one row.
static bool isKnown(const TensorTerms &terms, const Term *term, unsigned key) {
  RowEvaluator evaluator(/*limit=*/1 << 20);
  llvm::DenseMap<unsigned, int64_t> digits;
  for (unsigned digit : terms.getAllDigits(term))
    digits[digit] = 0;
  return evaluator
      .evaluate(terms, term, key, terms.getDigit(key).extent, digits)
      .has_value();
}

/// What a term computes, through views.
static const Term *openViews(TensorTerms &terms, const Term *term) {
  while (const Term *from = term->isRead() ? terms.open(term) : nullptr)
    term = from;
  return term;
}

/// Parts that add up to `added`: sums, and what -inf replaces on several
/// conditions.
static void split(TensorTerms &terms, ScoreMatch::Added added, unsigned depth,
                  SmallVectorImpl<ScoreMatch::Added> &parts) {
  const Term *from = openViews(terms, added.term);
  auto also = [&](const Term *term, double factor) {
    split(terms, {term, factor, added.isReplacement}, depth + 1, parts);
  };
  if (depth == kDepth) {
    parts.push_back(added);
  } else if (from->kind == Term::Kind::Add || from->kind == Term::Kind::Sub) {
    also(from->lhs, added.factor);
    also(from->rhs,
         from->kind == Term::Kind::Sub ? -added.factor : added.factor);
  } else if (std::optional<Scaled> scaled = takeFactor(terms, from)) {
    also(scaled->term, added.factor * scaled->factor);
  } else if (from->isSelect()) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (unsigned hidden : {1, 2}) {
      if (terms.getConstant(from->args[hidden]) != -infinity)
        continue;
      const Term *other = from->args[3 - hidden];
      const Term *zero = terms.constant(0);
      auto select = [&](const Term *condition) {
        Term of = *from;
        of.args[0] = condition;
        return hidden == 1 ? terms.select(&of, from->args[1], zero)
                           : terms.select(&of, zero, from->args[2]);
      };
      // Hidden where either is true, or seen where both are.
      const Term *condition = openViews(terms, from->args[0]);
      bool isSplit = condition->kind == Term::Kind::Apply &&
                     (hidden == 1 ? isa<arith::OrIOp>(condition->op)
                                  : isa<arith::AndIOp>(condition->op));
      if (isSplit)
        for (const Term *part : condition->args)
          also(select(part), added.factor);
      if (terms.getConstant(other) != 0.0)
        also(other, added.factor);
      if (!isSplit)
        parts.push_back(
            {select(from->args[0]), added.factor, added.isReplacement});
      return;
    }
    parts.push_back(added);
  } else {
    parts.push_back(added);
  }
}

/// The same number added to all scores of a row changes nothing.
static bool addTerm(TensorTerms &terms, ScoreMatch::Added added, unsigned key,
                    ScoreMatch &match) {
  if (std::optional<double> value = terms.getConstant(added.term))
    return std::isfinite(*value);
  while (std::optional<Scaled> scaled = takeFactor(terms, added.term)) {
    added.term = scaled->term;
    added.factor *= scaled->factor;
  }
  if (added.term->isRead() &&
      !isa<RankedTensorType>(added.term->value.getType()))
    return false;
  SmallVector<ScoreMatch::Added> parts;
  if (!isKnown(terms, added.term, key))
    split(terms, added, /*depth=*/0, parts);
  if (llvm::none_of(parts, [&](const ScoreMatch::Added &part) {
        return isKnown(terms, part.term, key);
      }))
    parts = {added};
  llvm::append_range(match.added, parts);
  return true;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Scores of which some are replaced by a number that hides them.
static std::optional<ScoreMatch> matchSelect(TensorTerms &terms,
                                             const Term *scores, unsigned key,
                                             Refusal &refusal) {
  for (unsigned side : {1, 2}) {
    const Term *other = scores->args[3 - side];
    std::optional<ScoreMatch> match =
        matchScores(terms, scores->args[side], key, refusal);
    if (!match)
      continue;
    std::optional<double> value = terms.getConstant(other);
    if (!value || !isHiding(*value)) {
      refusal.op = scores->op;
      llvm::raw_string_ostream os(refusal.reason);
      os << "it replaces scores by ";
      if (value)
        os << *value << ", which is neither -inf nor a lowest number";
      else
        os << "what is no constant";
      return std::nullopt;
    }
    const Term *zero = terms.constant(0);
    const Term *mask = side == 1 ? terms.select(scores, zero, other)
                                 : terms.select(scores, other, zero);
    addTerm(terms, {mask, 1, /*isReplacement=*/true}, key, *match);
    return match;
  }
  return std::nullopt;
}

std::optional<ScoreMatch> mercury::matchScores(TensorTerms &terms,
                                               const Term *scores, unsigned key,
                                               Refusal &refusal) {
  if (scores->isRead()) {
    if (const Term *from = terms.open(scores))
      return matchScores(terms, from, key, refusal);
    std::optional<Reduction> reduction = terms.openReduction(scores);
    std::optional<Product> product;
    if (reduction)
      product = getProduct(terms, *reduction);
    if (!product)
      return std::nullopt;
    if (llvm::is_contained(terms.getDigits(product->lhs), key) ==
        llvm::is_contained(terms.getDigits(product->rhs), key)) {
      refusal = {reduction->op, "not one of its factors alone has the keys"};
      return std::nullopt;
    }
    if (terms.getConstant(reduction->init) != 0.0) {
      refusal = {reduction->op, "its sum does not start from zero"};
      return std::nullopt;
    }
    ScoreMatch match;
    match.read = scores;
    match.reduction = *reduction;
    match.product = *product;
    match.scale = product->factor;
    return match;
  }
  if (std::optional<Scaled> scaled = takeFactor(terms, scores)) {
    std::optional<ScoreMatch> match =
        matchScores(terms, scaled->term, key, refusal);
    if (match) {
      match->scale *= scaled->factor;
      for (ScoreMatch::Added &added : match->added)
        added.factor *= scaled->factor;
    }
    return match;
  }
  if (scores->isSelect())
    return matchSelect(terms, scores, key, refusal);
  if (scores->kind == Term::Kind::Mul) {
    for (const Term *side : {scores->lhs, scores->rhs})
      if (std::optional<ScoreMatch> match =
              matchScores(terms, side, key, refusal)) {
        refusal = {
            match->reduction.op,
            "its scores are multiplied by what is no constant; a mask of "
            "0 and 1 that multiplies hides no key"};
        break;
      }
    return std::nullopt;
  }
  if (scores->kind != Term::Kind::Add && scores->kind != Term::Kind::Sub)
    return std::nullopt;
  double sign = scores->kind == Term::Kind::Sub ? -1 : 1;
  if (std::optional<ScoreMatch> match =
          matchScores(terms, scores->lhs, key, refusal);
      match && addTerm(terms, {scores->rhs, sign}, key, *match))
    return match;
  std::optional<ScoreMatch> match =
      matchScores(terms, scores->rhs, key, refusal);
  if (!match)
    return match;
  if (sign < 0) {
    match->scale = -match->scale;
    for (ScoreMatch::Added &added : match->added)
      added.factor = -added.factor;
  }
  if (!addTerm(terms, {scores->lhs, 1}, key, *match))
    return std::nullopt;
  return match;
}
