//===- AttentionMatch.cpp - Attention in linalg's operators ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which loop is which, and which tensors the operands are.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/AttentionMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mercury;

namespace {

/// A tensor that an operand may be taken from, and what it then is multiplied
/// by.
struct Candidate {
  const Term *read;
  double factor = 1;
  int64_t bits = 0;
};

/// An operand from `read`, and what it then is multiplied by.
struct Placed {
  AttentionOperand operand;
  const Term *read;
  double factor;
};

/// Matches one second contraction, given the loops that are not to be cut.
class Matcher {
public:
  Matcher(TensorTerms &terms, linalg::LinalgOp root, bool isWeightsFirst,
          const BitVector &uncut, Refusal &refusal)
      : terms(terms), root(root), isWeightsFirst(isWeightsFirst), uncut(uncut),
        refusal(refusal) {}

  std::optional<AttentionMatch> match();
  /// Bits of the operands that the last match chose.
  int64_t getBits() const { return bits; }

private:
  std::nullopt_t refuse(Operation *op, const Twine &reason) {
    refusal = {op, reason.str()};
    return std::nullopt;
  }
  bool isLoopOf(unsigned digit, const Term *side);
  int64_t getExtent(unsigned dim) {
    return domain[dim] ? terms.getDigit(*domain[dim]).extent : 1;
  }
  SmallVector<Candidate> getCandidates(const Term *read, bool isScaled);
  std::optional<Candidate> choose(const Term *read, bool isScaled,
                                  const DigitIndex &allowed,
                                  const DigitIndex &required);
  LogicalResult findLoops(const Term *weights, const Term *value);
  void chooseQuery(const Term *key, const Term *value);
  std::optional<AttentionOperand> place(const Term *read,
                                        ArrayRef<unsigned> required,
                                        const BitVector &allowed);
  std::optional<Placed> placeBest(const Term *read, bool isScaled,
                                  ArrayRef<unsigned> required,
                                  const BitVector &allowed, int64_t bits);
  std::optional<AttentionMask> placeMask(const ScoreMatch::Added &added,
                                         const DigitIndex &allowed,
                                         const BitVector &allowedDims);
  std::optional<AttentionMatch> assign(const Term *weights, const Term *value,
                                       unsigned key, const ScoreMatch &scores);

  TensorTerms &terms;
  linalg::LinalgOp root;
  bool isWeightsFirst;
  const BitVector &uncut;
  Refusal &refusal;
  int64_t bits = 0;
  DigitIndex parallel; // of the root but for the value's feature, any extent
  std::optional<unsigned> valueFeature;
  /// The maps' domain; nothing stands for a loop of one step that is made up.
  SmallVector<std::optional<unsigned>> domain;
};

} // namespace

static bool isNonEmptyStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() != 0;
}

static int64_t bitsOf(Value value) {
  auto type = cast<ShapedType>(value.getType());
  return type.getNumElements() * type.getElementTypeBitWidth();
}

//===----------------------------------------------------------------------===//
// Where an operand comes from
//===----------------------------------------------------------------------===//

/// The tensors that hold the operand, from the contraction upwards: through
/// views and broadcasts and, where `isScaled`, constant factors.
SmallVector<Candidate> Matcher::getCandidates(const Term *read, bool isScaled) {
  SmallVector<Candidate> candidates;
  double factor = 1;
  while (isNonEmptyStatic(read->value.getType())) {
    candidates.push_back({read, factor, bitsOf(read->value)});
    const Term *from = terms.open(read);
    while (isScaled && from &&
           (from->kind == Term::Kind::Mul || from->kind == Term::Kind::Div)) {
      bool isQuotient = from->kind == Term::Kind::Div;
      std::optional<double> left = terms.getConstant(from->lhs),
                            right = terms.getConstant(from->rhs);
      if (right) {
        factor *= isQuotient ? 1 / *right : *right;
        from = from->lhs;
      } else if (left && !isQuotient) {
        factor *= *left;
        from = from->rhs;
      } else {
        break;
      }
    }
    if (!from || !from->isRead())
      break;
    read = from;
  }
  return candidates;
}

/// The smallest tensor that holds the operand, the last one of several.
std::optional<Candidate> Matcher::choose(const Term *read, bool isScaled,
                                         const DigitIndex &allowed,
                                         const DigitIndex &required) {
  std::optional<Candidate> best;
  for (const Candidate &candidate : getCandidates(read, isScaled)) {
    DigitIndex digits = terms.getDigits(candidate.read);
    auto isIn = [](const DigitIndex &set) {
      return [&](unsigned digit) { return llvm::is_contained(set, digit); };
    };
    if (llvm::all_of(digits, isIn(allowed)) &&
        llvm::all_of(terms.getDigits(required), isIn(digits)) &&
        (!best || candidate.bits <= best->bits))
      best = candidate;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Which loop is which
//===----------------------------------------------------------------------===//

/// Whether the root's loop that `digit` is of indexes the element that the root
/// reads, loops of one step too.
bool Matcher::isLoopOf(unsigned digit, const Term *side) {
  return llvm::any_of(side->at, [&](const DigitIndex &index) {
    return llvm::is_contained(index, digit);
  });
}

/// Parallel loops of the root, and which of them is the value's feature.
LogicalResult Matcher::findLoops(const Term *weights, const Term *value) {
  SmallVector<int64_t> ranges = root.getStaticLoopRanges();
  std::optional<unsigned> ofOneStep;
  for (auto [loop, iterator] : llvm::enumerate(root.getIteratorTypesArray())) {
    if (iterator != utils::IteratorType::parallel)
      continue;
    for (unsigned digit : terms.getLoop(root, loop, ranges[loop])) {
      bool isFeature = isLoopOf(digit, value) && !isLoopOf(digit, weights);
      if (!isFeature) {
        parallel.push_back(digit);
      } else if (terms.getDigit(digit).extent == 1) {
        if (ofOneStep)
          parallel.push_back(*ofOneStep);
        ofOneStep = digit;
      } else if (valueFeature) {
        return refuse(root, "its value has several features"), failure();
      } else {
        valueFeature = digit;
      }
    }
  }
  if (!valueFeature)
    valueFeature = ofOneStep;
  else if (ofOneStep)
    parallel.push_back(*ofOneStep);
  return success();
}

/// Picks the query loop among those that neither key nor value has, and fills
/// in the parallel loops of the domain. A factor of a loop whose other factor
/// they have is a group of query heads.
void Matcher::chooseQuery(const Term *key, const Term *value) {
  DigitIndex shared = terms.getDigits(key);
  llvm::append_range(shared, terms.getDigits(value));
  auto isGroup = [&](unsigned digit) {
    const Digit &it = terms.getDigit(digit);
    return llvm::any_of(shared, [&](unsigned other) {
      const Digit &has = terms.getDigit(other);
      return has.op == it.op && has.loop == it.loop;
    });
  };
  std::optional<unsigned> query;
  auto rank = [&](unsigned digit) {
    return std::pair(!isGroup(digit), terms.getDigit(digit).extent != 1);
  };
  for (unsigned digit : parallel)
    if (!llvm::is_contained(shared, digit) &&
        (!query || rank(digit) >= rank(*query)))
      query = digit;
  domain.clear();
  for (unsigned digit : parallel)
    if (digit != query)
      domain.push_back(digit);
  domain.push_back(query);
}

//===----------------------------------------------------------------------===//
// How operands are indexed
//===----------------------------------------------------------------------===//

/// What each dimension of the tensor of `read` is in the domain. Dimensions of
/// one step are free: they become loops of one step that the operand has to
/// have, or go.
std::optional<AttentionOperand> Matcher::place(const Term *read,
                                               ArrayRef<unsigned> required,
                                               const BitVector &allowed) {
  constexpr unsigned kFree = ~0u;
  AttentionOperand operand{read->value, {}};
  BitVector has(domain.size());
  for (const DigitIndex &index : read->at) {
    size_t before = operand.dims.size();
    for (unsigned digit : index) {
      auto found = llvm::find(domain, digit);
      unsigned dim = found - domain.begin();
      bool isPlaced = found != domain.end() && allowed[dim] && !has[dim];
      if (!isPlaced && terms.getDigit(digit).extent != 1)
        return std::nullopt;
      if (!isPlaced)
        continue;
      has.set(dim);
      operand.dims.push_back(dim);
    }
    if (operand.dims.size() == before)
      operand.dims.push_back(kFree);
  }
  for (unsigned dim : required) {
    if (has[dim])
      continue;
    if (getExtent(dim) != 1)
      return std::nullopt;
    auto free = llvm::find(operand.dims, kFree);
    if (free != operand.dims.end())
      *free = dim;
    else
      operand.dims.insert(operand.dims.end() - !operand.dims.empty(), dim);
    has.set(dim);
  }
  llvm::erase(operand.dims, kFree);
  return operand;
}

/// The operand from the tensor that needs the fewest dimensions changed, among
/// those of `bits`.
std::optional<Placed> Matcher::placeBest(const Term *read, bool isScaled,
                                         ArrayRef<unsigned> required,
                                         const BitVector &allowed,
                                         int64_t bits) {
  std::optional<Placed> best;
  bool isBestReshaped = true;
  for (const Candidate &candidate : getCandidates(read, isScaled)) {
    if (candidate.bits != bits)
      continue;
    std::optional<AttentionOperand> placed =
        place(candidate.read, required, allowed);
    if (!placed)
      continue;
    bool isReshaped =
        !llvm::equal(cast<ShapedType>(placed->tensor.getType()).getShape(),
                     llvm::map_range(placed->dims, [&](unsigned dim) {
                       return getExtent(dim);
                     }));
    if (best && isReshaped && !isBestReshaped)
      continue;
    best = Placed{*placed, candidate.read, candidate.factor};
    isBestReshaped = isReshaped;
  }
  return best;
}

std::optional<AttentionMatch> Matcher::assign(const Term *weights,
                                              const Term *value, unsigned key,
                                              const ScoreMatch &scores) {
  if (failed(findLoops(weights, value)))
    return std::nullopt;
  const Term *keyRead = scores.product.lhs, *query = scores.product.rhs;
  if (!llvm::is_contained(terms.getDigits(keyRead), key))
    std::swap(keyRead, query);
  DigitIndex over = scores.reduction.over;
  if (over.size() > 1)
    return refuse(scores.reduction.op, "it sums over several features");
  std::optional<unsigned> feature;
  if (!over.empty())
    feature = over[0];

  auto with = [](DigitIndex digits,
                 std::initializer_list<std::optional<unsigned>> more) {
    for (std::optional<unsigned> digit : more)
      if (digit)
        digits.push_back(*digit);
    return digits;
  };
  std::optional<Candidate> fromQuery =
                               choose(query, true, with(parallel, {feature}),
                                      with(parallel, {feature})),
                           fromKey = choose(keyRead, true,
                                            with(parallel, {key, feature}),
                                            with({}, {key, feature})),
                           fromValue =
                               choose(value, false,
                                      with(parallel, {key, valueFeature}),
                                      with({}, {key, valueFeature}));
  for (const Term *read : {query, keyRead})
    if (!isNonEmptyStatic(read->value.getType()))
      return refuse(scores.reduction.op, "its shapes are dynamic or empty");
  if (!fromQuery)
    return refuse(scores.reduction.op, "its query lacks a parallel loop");
  if (!fromKey)
    return refuse(scores.reduction.op, "its key is indexed in another way");
  if (!fromValue)
    return refuse(root, "its value is indexed in another way");
  bits = fromQuery->bits + fromKey->bits + fromValue->bits;

  chooseQuery(fromKey->read, fromValue->read);
  unsigned queryDim = domain.size() - 1;
  domain.append({key, feature, valueFeature});
  unsigned keyDim = queryDim + 1, featureDim = queryDim + 2,
           valueDim = queryDim + 3;
  BitVector rows(domain.size()), shared(domain.size());
  SmallVector<unsigned> ofRows;
  for (unsigned dim = 0; dim <= queryDim; ++dim) {
    rows.set(dim);
    ofRows.push_back(dim);
    if (dim != queryDim)
      shared.set(dim);
  }
  auto plus = [](BitVector dims, std::initializer_list<unsigned> more) {
    for (unsigned dim : more)
      dims.set(dim);
    return dims;
  };

  AttentionMatch match;
  match.root = root;
  match.scores = scores.reduction.op;
  for (unsigned dim = 0; dim < domain.size(); ++dim)
    match.extents.push_back(getExtent(dim));
  SmallVector<unsigned> ofQuery(ofRows), ofResult(ofRows);
  ofQuery.push_back(featureDim);
  ofResult.push_back(valueDim);
  auto placedQuery = placeBest(query, true, ofQuery, plus(rows, {featureDim}),
                               fromQuery->bits);
  auto placedKey = placeBest(keyRead, true, {keyDim, featureDim},
                             plus(shared, {keyDim, featureDim}), fromKey->bits);
  auto placedValue =
      placeBest(value, false, {keyDim, valueDim},
                plus(shared, {keyDim, valueDim}), fromValue->bits);
  std::optional<AttentionOperand> result =
      place(terms.readResult(root), ofResult, plus(rows, {valueDim}));
  if (!placedQuery || !placedKey || !placedValue || !result)
    return refuse(root, "its operands are indexed in another way");
  match.query = placedQuery->operand;
  match.key = placedKey->operand;
  match.value = placedValue->operand;
  match.result = *result;
  match.scale = scores.scale * placedQuery->factor * placedKey->factor;
  if (!std::isfinite(match.scale))
    return refuse(scores.reduction.op, "its scale is not finite");

  match.digits.assign(domain.begin(), domain.end());
  for (const ScoreMatch::Added &added : scores.added) {
    std::optional<AttentionMask> mask =
        placeMask(added, with(parallel, {key}), plus(rows, {keyDim}));
    if (!mask)
      return refuse(scores.reduction.op,
                    "a mask of its scores is indexed in another way");
    match.masks.push_back(*mask);
  }
  return match;
}

/// A mask that stands in a tensor is read from the smallest; of one that is
/// computed, what it is computed from.
std::optional<AttentionMask> Matcher::placeMask(const ScoreMatch::Added &added,
                                                const DigitIndex &allowed,
                                                const BitVector &allowedDims) {
  AttentionMask mask{added.term, added.factor, added.isReplacement, {}};
  for (unsigned digit : terms.getAllDigits(added.term))
    if (!llvm::is_contained(allowed, digit))
      return std::nullopt;
  bool isTensor = added.term->isRead();
  for (const Term *read : getReads(added.term)) {
    std::optional<Candidate> from = choose(read, isTensor, allowed, {});
    std::optional<Placed> placed;
    if (from)
      placed = placeBest(read, isTensor, {}, allowedDims, from->bits);
    if (!placed)
      return std::nullopt;
    bits += from->bits;
    mask.operands.push_back(placed->operand);
    if (isTensor) {
      mask.term = placed->read;
      mask.factor *= placed->factor;
    }
  }
  return mask;
}

std::optional<AttentionMatch> Matcher::match() {
  const Term *result = terms.readResult(root);
  std::optional<Reduction> sum;
  if (result)
    sum = terms.openReduction(result);
  std::optional<Product> product;
  if (sum)
    product = getProduct(terms, *sum);
  if (!product)
    return std::nullopt;
  const Term *weights = product->lhs, *value = product->rhs;
  if (!isWeightsFirst)
    std::swap(weights, value);
  // Only loops that the weights have may be cut: those of heads and rows.
  SmallVector<int64_t> ranges = root.getStaticLoopRanges();
  for (auto [loop, iterator] : llvm::enumerate(root.getIteratorTypesArray()))
    for (unsigned digit : terms.getLoop(root, loop, ranges[loop]))
      if (iterator == utils::IteratorType::parallel && !uncut[loop] &&
          isLoopOf(digit, weights))
        terms.allowCuts(root, loop);
  if (sum->over.size() != 1)
    return std::nullopt;
  unsigned key = sum->over[0];
  const Term *scores = matchSoftmax(terms, weights, key, refusal);
  if (!scores)
    return std::nullopt;
  if (terms.getConstant(sum->init) != 0.0)
    return refuse(root, "its sum does not start from zero");
  if (product->factor != 1)
    return refuse(root, "its products are multiplied by a constant");
  Refusal inside;
  if (std::optional<ScoreMatch> match = matchScores(terms, scores, key, inside))
    return assign(weights, value, key, *match);
  if (inside.op) {
    refusal = inside;
    return std::nullopt;
  }
  Operation *of = scores->isRead() ? scores->value.getDefiningOp() : nullptr;
  return refuse(of ? of : root.getOperation(),
                "its scores are not query times key, scaled, and masked by "
                "terms that are added");
}

/// Reshapes cut loops, each time the match begins anew.
static std::optional<AttentionMatch>
matchWith(linalg::LinalgOp root, bool isWeightsFirst, const BitVector &uncut,
          Refusal &refusal, int64_t &bits, BitVector &cut) {
  auto terms = std::make_shared<TensorTerms>();
  std::optional<AttentionMatch> match;
  do {
    terms->restart();
    refusal = {};
    Matcher matcher(*terms, root, isWeightsFirst, uncut, refusal);
    match = matcher.match();
    bits = matcher.getBits();
  } while (terms->isStale());
  for (unsigned loop = 0; loop < root.getNumLoops(); ++loop)
    if (terms->isCut(root, loop))
      cut.set(loop);
  if (match)
    match->terms = terms;
  return match;
}

static std::optional<AttentionMatch>
matchWith(linalg::LinalgOp root, bool isWeightsFirst, Refusal &refusal) {
  BitVector uncut(root.getNumLoops()), cut(root.getNumLoops());
  int64_t bits = 0;
  std::optional<AttentionMatch> match =
      matchWith(root, isWeightsFirst, uncut, refusal, bits, cut);
  if (!match)
    return match;
  // Cuts that make no operand smaller go again.
  for (unsigned loop : cut.set_bits()) {
    BitVector without = uncut, ignored = cut;
    without.set(loop);
    int64_t bitsWithout = 0;
    Refusal why;
    std::optional<AttentionMatch> other =
        matchWith(root, isWeightsFirst, without, why, bitsWithout, ignored);
    if (other && bitsWithout <= bits) {
      match = other;
      uncut = without;
    }
  }
  return match;
}

std::optional<AttentionMatch> mercury::matchAttention(linalg::LinalgOp root,
                                                      Refusal &refusal) {
  refusal = {};
  for (Type type : root->getOperandTypes())
    if (isa<RankedTensorType>(type) && !isNonEmptyStatic(type)) {
      refusal = {root, "its shapes are dynamic or empty"};
      return std::nullopt;
    }
  for (bool isWeightsFirst : {true, false}) {
    Refusal why;
    if (std::optional<AttentionMatch> match =
            matchWith(root, isWeightsFirst, why);
        match && succeeded(matchMasks(*match, why)))
      return match;
    if (!refusal.op)
      refusal = why;
  }
  return std::nullopt;
}
