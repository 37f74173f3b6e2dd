//===- ScoreMatch.cpp - What a softmax of attention is taken of -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/AttentionMatch.h"

using namespace mlir;
using namespace mercury;

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

/// A term that is added to the scores has to stand in a tensor. The same number
/// added to all scores of a row changes nothing.
static bool addTerm(TensorTerms &terms, const Term *term, double factor,
                    ScoreMatch &match) {
  if (std::optional<double> value = terms.getConstant(term))
    return std::isfinite(*value);
  while (std::optional<Scaled> scaled = takeFactor(terms, term)) {
    term = scaled->term;
    factor *= scaled->factor;
  }
  if (!term->isRead() || !isa<RankedTensorType>(term->value.getType()))
    return false;
  match.added.push_back({term, factor});
  return true;
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
  if (scores->kind != Term::Kind::Add && scores->kind != Term::Kind::Sub)
    return std::nullopt;
  double sign = scores->kind == Term::Kind::Sub ? -1 : 1;
  if (std::optional<ScoreMatch> match =
          matchScores(terms, scores->lhs, key, refusal);
      match && addTerm(terms, scores->rhs, sign, *match))
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
  if (!addTerm(terms, scores->lhs, 1, *match))
    return std::nullopt;
  return match;
}
