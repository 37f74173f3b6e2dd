//===- AttentionProblem.cpp - Online attention and its values in f64 ------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mercury::test;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Position = AttentionProblem::Position;

std::vector<const AttentionProblem::Operand *>
AttentionProblem::operands() const {
  std::vector<const Operand *> all{&query, &key, &value};
  if (hasMask)
    all.push_back(&mask);
  if (range)
    all.insert(all.end(), {&begin, &end});
  all.insert(all.end(), {&accumulator, &maximum, &sum});
  return all;
}

/// Arguments are the inputs, `valid`, the state.
size_t AttentionProblem::numberOf(const Operand &operand) const {
  auto all = operands();
  size_t number = llvm::find(all, &operand) - all.begin();
  return number + (hasValid && number >= all.size() - 3);
}

static std::string typeText(const AttentionProblem &problem,
                            const AttentionProblem::Operand &operand) {
  std::string shape;
  std::vector<std::string> strides(operand.loops.size());
  int64_t stride = operand.spread;
  for (size_t i = operand.loops.size(); i-- > 0;) {
    int64_t extent = problem.extents.at(operand.loops[i]);
    shape = std::to_string(extent) + "x" + shape;
    strides[i] = std::to_string(stride);
    stride = stride * extent + (i + 1 == strides.size() ? operand.room : 0);
  }
  std::string text = "memref<" + shape + operand.type;
  if (operand.room || operand.spread != 1)
    text += ", strided<[" + llvm::join(strides, ", ") + "]>";
  return text + ">";
}

std::string AttentionProblem::text() const {
  std::vector<std::string> maps, names, arguments, types;
  std::string domain;
  for (const char *loop = kLoops; *loop; ++loop)
    domain += std::string(loop == kLoops ? "" : ", ") + *loop;
  for (const Operand *operand : operands()) {
    std::string results;
    for (char loop : operand->loops)
      results += std::string(results.empty() ? "" : ", ") + loop;
    maps.push_back("affine_map<(" + domain + ") -> (" + results + ")>");
    names.push_back("%" + std::to_string(names.size()));
    types.push_back(typeText(*this, *operand));
    arguments.push_back(names.back() + ": " + types.back());
    if (operand->alignment)
      arguments.back() +=
          llvm::formatv(" {{llvm.align = {0} : i64}", operand->alignment);
  }
  if (hasValid)
    arguments.insert(arguments.end() - 3, "%valid: index");
  auto list = [](llvm::ArrayRef<std::string> of) {
    return llvm::join(of, ", ");
  };
  auto in = [](auto &of) { return llvm::ArrayRef(of).take_front(3); };
  auto out = [](auto &of) { return llvm::ArrayRef(of).take_back(3); };
  auto ofRange = [](auto &of) {
    return llvm::ArrayRef(of).take_back(5).take_front(2);
  };
  return "func.func private @k(" + list(arguments) +
         ") attributes {commir.kernel} {\n  commir.online_attention maps [" +
         list(maps) + "] " + llvm::formatv("scale {0:E6}", scale).str() +
         "\n    ins(" + list(in(names)) + " : " + list(in(types)) + ")" +
         (hasMask ? " mask(" + names[3] + " : " + types[3] + ")" : "") +
         (hasValid ? " valid(%valid)" : "") +
         (range ? " key_range(" + list(ofRange(names)) + " : " +
                      list(ofRange(types)) + ")"
                : "") +
         "\n    outs(" + list(out(names)) + " : " + list(out(types)) +
         ")\n  return\n}\n";
}

static int64_t numberAt(const KernelBuffer &buffer,
                        const AttentionProblem::Operand &operand,
                        const Position &at) {
  llvm::SmallVector<int64_t> indices;
  for (char loop : operand.loops)
    indices.push_back(at.at(loop));
  return buffer.numberOf(indices);
}

/// `body` for all positions of `loops`; others stay as they are in `at`.
template <typename F>
static void forAll(const AttentionProblem &problem, llvm::StringRef loops,
                   Position &at, F body) {
  if (loops.empty())
    return body();
  for (int64_t i = 0; i < problem.extents.at(loops.front()); ++i) {
    at[loops.front()] = i;
    forAll(problem, loops.drop_front(), at, body);
  }
}

void AttentionProblem::fill(KernelArguments &arguments, unsigned seed) const {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Position at;
  auto set = [&](const Operand &operand, auto value) {
    KernelBuffer &buffer = *arguments[numberOf(operand)];
    forAll(*this, operand.loops, at,
           [&] { buffer.set(numberAt(buffer, operand, at), value()); });
  };
  int64_t first = 0, last = hasValid ? valid : extents.at('n');
  if (range) {
    set(begin, [&] { return range(at).first; });
    set(end, [&] { return range(at).second; });
    int64_t least = last, greatest = first;
    forAll(*this, "higm", at, [&] {
      auto [from, to] = rangeAt(arguments, at);
      if (from >= to)
        return;
      least = std::min(least, from);
      greatest = std::max(greatest, to);
    });
    first = least;
    last = std::min(last, greatest);
  }
  auto isMissing = [&](const Operand &operand) {
    return operand.loops.find('n') != std::string::npos &&
           (at['n'] < first || at['n'] >= last);
  };
  double ofQuery = amplitude / std::sqrt(double(extents.at('d')));
  set(query, [&]() -> double {
    return isWhole ? int(random() % 9) - 4 : ofQuery * normal(random);
  });
  for (const Operand *operand : {&key, &value})
    set(*operand, [&]() -> double {
      if (isMissing(*operand))
        return NAN;
      return isWhole && operand == &key ? int(random() % 9) - 4
                                        : normal(random);
    });
  if (hasMask)
    set(mask, [&]() -> double {
      if (isMissing(mask))
        return NAN;
      bool isHidden =
          hides && (random() % 3 == 0 || (at['m'] + at['g']) % 3 == 0);
      return isHidden  ? -kInfinity
             : isWhole ? int(random() % 5)
                       : normal(random);
    });
  // A row's state is of other keys, or empty.
  set(maximum, [&] {
    return continues && random() % 8 ? amplitude * normal(random) : -kInfinity;
  });
  const KernelBuffer &ofMaximum = *arguments[numberOf(maximum)];
  auto isEmpty = [&] {
    return ofMaximum.get(numberAt(ofMaximum, maximum, at)) == -kInfinity;
  };
  set(sum, [&]() -> double { return isEmpty() ? 0 : 1 + random() % 4; });
  set(accumulator, [&] { return isEmpty() ? 0 : normal(random); });
}

std::pair<int64_t, int64_t>
AttentionProblem::rangeAt(const KernelArguments &arguments,
                          const Position &at) const {
  int64_t keys = extents.at('n'), from = 0, to = keys;
  if (hasValid)
    to = std::clamp<int64_t>(valid, 0, keys);
  if (range) {
    auto get = [&](const Operand &operand) -> int64_t {
      const KernelBuffer &buffer = *arguments[numberOf(operand)];
      return buffer.get(numberAt(buffer, operand, at));
    };
    from = std::max(from, get(begin));
    to = std::min(to, get(end));
  }
  return {from, to};
}

void AttentionProblem::compute(KernelArguments &arguments) const {
  Position at;
  auto get = [&](const Operand &operand) {
    const KernelBuffer &buffer = *arguments[numberOf(operand)];
    return buffer.get(numberAt(buffer, operand, at));
  };
  auto set = [&](const Operand &operand, double value) {
    KernelBuffer &buffer = *arguments[numberOf(operand)];
    buffer.set(numberAt(buffer, operand, at), value);
  };
  std::vector<double> weights(extents.at('n'));
  forAll(*this, "higm", at, [&] {
    int64_t from, to;
    std::tie(from, to) = rangeAt(arguments, at);
    double before = get(maximum), after = before;
    for (at['n'] = from; at['n'] < to; ++at['n']) {
      double score = 0;
      forAll(*this, "d", at, [&] { score += get(query) * get(key); });
      score = score * scale + (hasMask ? get(mask) : 0);
      weights[at['n']] = score;
      after = std::max(after, score);
    }
    double factor = before == after ? 1 : std::exp(before - after);
    double total = factor * get(sum);
    for (int64_t n = from; n < to; ++n) {
      double &weight = weights[n];
      weight = weight == -kInfinity ? 0 : std::exp(weight - after);
      total += weight;
    }
    set(maximum, after);
    set(sum, total);
    forAll(*this, "e", at, [&] {
      double result = factor * get(accumulator);
      for (at['n'] = from; at['n'] < to; ++at['n'])
        result += weights[at['n']] * get(value);
      set(accumulator, result);
    });
  });
}

KernelCheck AttentionProblem::check(unsigned seed) const {
  KernelCheck check;
  check.text = text();
  check.prepare = [problem = *this, seed](KernelArguments &arguments) {
    problem.fill(arguments, seed);
    if (problem.hasValid)
      arguments[problem.numberOf(problem.accumulator) - 1].number =
          problem.valid;
  };
  check.reference = [problem = *this](KernelArguments &arguments) {
    problem.compute(arguments);
  };
  return check;
}
