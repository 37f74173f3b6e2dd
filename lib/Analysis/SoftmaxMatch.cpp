//===- SoftmaxMatch.cpp - Softmax in whatever form it comes ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/AttentionMatch.h"

using namespace mlir;
using namespace mercury;

/// Terms of a sum, factors of a product; more than that are no softmax.
static constexpr size_t kTerms = 32;

namespace {

/// A sum of elements, each times a number.
struct Linear {
  struct Part {
    const Term *term;
    double factor;
  };
  SmallVector<Part> parts;
  double constant = 0;
};

/// A product of elements, and of reciprocals.
struct Factors {
  SmallVector<const Term *> over, under;
  double constant = 1;
};

} // namespace

static bool linearize(TensorTerms &terms, const Term *term, double factor,
                      Linear &sum) {
  if (sum.parts.size() > kTerms)
    return false;
  if (std::optional<double> value = terms.getConstant(term)) {
    sum.constant += factor * *value;
    return true;
  }
  switch (term->kind) {
  case Term::Kind::Add:
    return linearize(terms, term->lhs, factor, sum) &&
           linearize(terms, term->rhs, factor, sum);
  case Term::Kind::Sub:
    return linearize(terms, term->lhs, factor, sum) &&
           linearize(terms, term->rhs, -factor, sum);
  case Term::Kind::Mul:
    for (auto [a, b] :
         {std::pair(term->lhs, term->rhs), std::pair(term->rhs, term->lhs)})
      if (std::optional<double> value = terms.getConstant(a))
        return linearize(terms, b, factor * *value, sum);
    break;
  case Term::Kind::Div:
    if (std::optional<double> value = terms.getConstant(term->rhs))
      return linearize(terms, term->lhs, factor / *value, sum);
    break;
  case Term::Kind::Read:
    if (const Term *from = terms.open(term))
      return linearize(terms, from, factor, sum);
    break;
  default:
    break;
  }
  sum.parts.push_back({term, factor});
  return true;
}

static void factorize(TensorTerms &terms, const Term *term, bool inverse,
                      Factors &factors) {
  if (factors.over.size() + factors.under.size() > kTerms)
    return;
  if (std::optional<double> value = terms.getConstant(term)) {
    factors.constant *= inverse ? 1 / *value : *value;
    return;
  }
  if (term->isRead())
    if (const Term *from = terms.open(term))
      if (from->isRead() || from->kind == Term::Kind::Mul ||
          from->kind == Term::Kind::Div || from->kind == Term::Kind::Exp)
        return factorize(terms, from, inverse, factors);
  if (term->kind == Term::Kind::Mul || term->kind == Term::Kind::Div) {
    factorize(terms, term->lhs, inverse, factors);
    return factorize(terms, term->rhs,
                     inverse != (term->kind == Term::Kind::Div), factors);
  }
  (inverse ? factors.under : factors.over).push_back(term);
}

/// Both sums have the same parts.
static bool areEqual(TensorTerms &terms, const Linear &a, const Linear &b) {
  if (a.parts.size() != b.parts.size() || a.constant != b.constant)
    return false;
  SmallVector<const Linear::Part *> left;
  for (const Linear::Part &part : b.parts)
    left.push_back(&part);
  for (const Linear::Part &part : a.parts) {
    auto found = llvm::find_if(left, [&](const Linear::Part *other) {
      return other->factor == part.factor &&
             terms.areEqual(other->term, part.term);
    });
    if (found == left.end())
      return false;
    left.erase(found);
  }
  return true;
}

/// What a term computes, through views.
static const Term *openViews(TensorTerms &terms, const Term *term) {
  while (term->isRead()) {
    const Term *from = terms.open(term);
    if (!from)
      break;
    term = from;
  }
  return term;
}

//===----------------------------------------------------------------------===//
// Maximum and sum
//===----------------------------------------------------------------------===//

/// The scores that `part` is the maximum of over `key`; none where it is no
/// maximum at all.
static std::optional<Reduction> openMaximum(TensorTerms &terms,
                                            const Term *term, unsigned key) {
  std::optional<Reduction> reduction =
      terms.openReduction(term, DigitIndex{key});
  if (!reduction || reduction->kind == Reduction::Kind::Sum)
    return std::nullopt;
  return reduction;
}

/// A maximum may start from what no number is less than, or from what it
/// ignores.
static LogicalResult checkMaximumInit(TensorTerms &terms,
                                      const Reduction &maximum,
                                      Refusal &refusal) {
  std::optional<double> init = terms.getConstant(maximum.init);
  auto type = cast<FloatType>(getElementTypeOrSelf(maximum.init->value));
  double lowest =
      APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true)
          .convertToDouble();
  if (init && (*init <= lowest ||
               (std::isnan(*init) &&
                maximum.kind == Reduction::Kind::MaximumIgnoringNaN)))
    return success();
  refusal.op = maximum.op;
  llvm::raw_string_ostream os(refusal.reason);
  os << "its maximum starts from ";
  if (init)
    os << *init << ", which is neither -inf nor the lowest " << type;
  else
    os << "a value that is no constant";
  return failure();
}

static bool startsFromZero(TensorTerms &terms, const Reduction &sum) {
  return terms.getConstant(sum.init) == 0.0;
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// The argument of the exponentials that `term` sums over `key`.
static const Term *openSumOfExponentials(TensorTerms &terms, const Term *term,
                                         unsigned key, Refusal &refusal) {
  std::optional<Reduction> sum = terms.openReduction(term, DigitIndex{key});
  if (!sum || sum->kind != Reduction::Kind::Sum) {
    refusal.reason = "what it is divided by is no sum over the keys";
    return nullptr;
  }
  const Term *body = openViews(terms, sum->body);
  if (body->kind != Term::Kind::Exp) {
    refusal = {sum->op, "it does not sum the exponentials"};
    return nullptr;
  }
  if (!startsFromZero(terms, *sum)) {
    refusal = {sum->op, "its sum does not start from zero"};
    return nullptr;
  }
  return body->lhs;
}

/// `linalg.softmax` over `key`.
static const Term *openNamed(TensorTerms &terms, const Term *weights,
                             unsigned key, Refusal &refusal) {
  auto softmax = weights->value.getDefiningOp<linalg::SoftmaxOp>();
  if (!softmax)
    return nullptr;
  if (terms.getDigits(weights->at[softmax.getDimension()]) != DigitIndex{key}) {
    refusal = {softmax, "it normalizes another dimension than the contraction "
                        "that reads it sums over"};
    return nullptr;
  }
  return terms.read(softmax.getInput(), weights->at);
}

const Term *mercury::matchSoftmax(TensorTerms &terms, const Term *weights,
                                  unsigned key, Refusal &refusal) {
  Factors factors;
  factorize(terms, weights, /*inverse=*/false, factors);
  const Term *exponential = nullptr;
  for (const Term *factor : factors.over)
    if (factor->kind == Term::Kind::Exp ||
        (factor->isRead() &&
         isa_and_nonnull<linalg::SoftmaxOp>(factor->value.getDefiningOp())))
      exponential = factor;
  if (!exponential)
    return nullptr;

  refusal.op = weights->value.getDefiningOp();
  if (factors.constant != 1) {
    llvm::raw_string_ostream(refusal.reason)
        << "its weights are multiplied by " << factors.constant;
    return nullptr;
  }
  if (factors.over.size() != 1 || factors.under.size() > 1) {
    refusal.reason = "its weights have further factors";
    return nullptr;
  }
  if (exponential->isRead()) {
    if (factors.under.empty())
      return openNamed(terms, exponential, key, refusal);
    refusal.reason = "its weights are divided after the softmax";
    return nullptr;
  }

  // exp(s - max) / sum or exp(s - (max + log(sum))).
  Linear argument, scores;
  if (!linearize(terms, exponential->lhs, 1, argument)) {
    refusal.reason = "its exponent has too many terms";
    return nullptr;
  }
  const Term *sum = factors.under.empty() ? nullptr : factors.under[0];
  std::optional<Reduction> maximum;
  Linear shifted; // s - max
  shifted.constant = scores.constant = argument.constant;
  for (const Linear::Part &part : argument.parts) {
    const Term *term = part.term;
    if (part.factor == -1 && term->kind == Term::Kind::Log && !sum) {
      sum = openViews(terms, term->lhs);
      continue;
    }
    shifted.parts.push_back(part);
    if (part.factor == -1 && !maximum)
      if ((maximum = openMaximum(terms, term, key)))
        continue;
    scores.parts.push_back(part);
  }
  if (!sum) {
    refusal.reason = "its exponentials are divided by no sum";
    return nullptr;
  }
  if (!maximum) {
    refusal.reason = "no maximum over the keys is subtracted";
    return nullptr;
  }
  if (failed(checkMaximumInit(terms, *maximum, refusal)))
    return nullptr;
  Linear of;
  if (!linearize(terms, maximum->body, 1, of) || !areEqual(terms, of, scores)) {
    refusal = {maximum->op,
               "its maximum is that of other numbers than the exponent has"};
    return nullptr;
  }
  const Term *summed =
      openSumOfExponentials(terms, openViews(terms, sum), key, refusal);
  if (!summed)
    return nullptr;
  Linear exponents;
  if (!linearize(terms, summed, 1, exponents) ||
      !areEqual(terms, exponents, shifted)) {
    refusal.reason = "it is divided by a sum of other exponentials";
    return nullptr;
  }
  return maximum->body;
}

bool mercury::isSoftmaxAnchor(Operation *op) {
  if (isa<linalg::SoftmaxOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      linalgOp.getNumDpsInits() != 1 || linalgOp.getNumReductionLoops() == 0)
    return false;
  TensorTerms terms;
  const Term *result = terms.readResult(linalgOp);
  std::optional<Reduction> sum;
  if (result)
    sum = terms.openReduction(result);
  return sum && sum->kind == Reduction::Kind::Sum &&
         openViews(terms, sum->body)->kind == Term::Kind::Exp;
}
