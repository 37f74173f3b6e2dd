//===- AttentionSchedules.cpp - Attention under all its schedules ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every schedule of attention, on every topology of the list, erased and on
// ranks; and on one- and two-level machines of four ranks with the operator in
// its other forms.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mercury;
using namespace mercury::test;

namespace {

/// One form of attention. Dimensions are letters: batch b, KV heads h, heads
/// per KV head g, queries m, keys n, features d and e.
struct Form {
  std::map<char, int64_t> extents = {{'b', 2}, {'h', 4}, {'g', 2}, {'m', 8},
                                     {'n', 8}, {'d', 4}, {'e', 4}};
  std::string query = "hmd", key = "hnd", value = "hne", mask, out = "hme";
  std::string type = "f32", outType = "f32";
  double scale = 0.5;
  bool logSumExp = false;
  std::string valid; ///< an index, defined by `before`
  std::string before, arguments;

  /// The state's type.
  std::string stateType() const { return type == "f64" ? "f64" : "f32"; }
  std::string tensor(const std::string &dims, const std::string &of) const {
    std::string text = "tensor<";
    for (char dim : dims)
      text += std::to_string(extents.at(dim)) + "x";
    return text + of + ">";
  }
  std::string map(const std::string &dims) const {
    auto list = [](const std::string &letters) {
      std::string text;
      for (char letter : letters)
        text += (text.empty() ? "" : ", ") + std::string(1, letter);
      return "(" + text + ")";
    };
    std::string parallel = out.substr(0, out.size() - 1);
    return "affine_map<" + list(parallel + "nde") + " -> " + list(dims) + ">";
  }
  std::string rows() const { return out.substr(0, out.size() - 1); }
  std::string maps(std::vector<std::string> outputs) const {
    std::vector<std::string> all = {query, key, value};
    if (!mask.empty())
      all.push_back(mask);
    all.insert(all.end(), outputs.begin(), outputs.end());
    std::string text;
    for (const std::string &dims : all)
      text += (text.empty() ? "[" : ", ") + map(dims);
    return "maps " + text + "] scale " + std::to_string(scale);
  }
  std::string inputs() const {
    std::string text = " ins(%q, %k, %v : " + tensor(query, type) + ", " +
                       tensor(key, type) + ", " + tensor(value, type) + ")";
    if (!mask.empty())
      text += " mask(%mask : " + tensor(mask, "f32") + ")";
    if (!valid.empty())
      text += " valid(" + valid + ")";
    return text;
  }
  std::string parameters() const {
    std::string text = "%q: " + tensor(query, type) +
                       ", %k: " + tensor(key, type) +
                       ", %v: " + tensor(value, type);
    if (!mask.empty())
      text += ", %mask: " + tensor(mask, "f32");
    return text + arguments;
  }
  std::string text() const;
  std::string continuedText() const;
};

} // namespace

/// The function of the form.
std::string Form::text() const {
  std::string types = tensor(out, outType);
  std::vector<std::string> outputs = {out};
  std::string inits = "%o", made = before + "  %o = tensor.empty() : " + types;
  if (logSumExp) {
    std::string type = tensor(rows(), stateType());
    made += "\n  %s = tensor.empty() : " + type;
    types += ", " + type;
    outputs.push_back(rows());
    inits += ", %s";
  }
  return "func.func @attention(" + parameters() + ") -> (" + types + ") {\n" +
         made + "\n  %r" + (logSumExp ? ":2" : "") + " = commir.attention " +
         maps(outputs) + inputs() + " outs(" + inits + " : " + types + ") -> " +
         types + "\n  return " + (logSumExp ? "%r#0, %r#1" : "%r") + " : " +
         types + "\n}\n";
}

/// A function that continues from a state which is used by something else
/// afterwards, and so is its result.
std::string Form::continuedText() const {
  std::string acc = tensor(out, stateType()), row = tensor(rows(), stateType()),
              types = acc + ", " + row + ", " + row;
  return "func.func @attention(" + parameters() + ", %a: " + acc +
         ", %m: " + row + ", %l: " + row + ") -> (" + types + ", " + acc +
         ", " + row + ") {\n" + before + "  %r:3 = commir.online_attention " +
         maps({out, rows(), rows()}) + inputs() +
         " outs(%a, %m, %l : " + types + ") -> " + types +
         "\n  %ea = tensor.empty() : " + acc +
         "\n  %sum = linalg.add ins(%a, %r#0 : " + acc + ", " + acc +
         ") outs(%ea : " + acc + ") -> " + acc +
         "\n  %er = tensor.empty() : " + row +
         "\n  %max = linalg.max ins(%m, %r#1 : " + row + ", " + row +
         ") outs(%er : " + row + ") -> " + row +
         "\n  return %r#0, %r#1, %r#2, %sum, %max : " + types + ", " + acc +
         ", " + row + "\n}\n";
}

static const std::vector<std::string> fourRanks = {"gpu=4", "node=2,gpu=2"};

static void runAll(const std::string &text,
                   const std::vector<std::string> &topologies = fourRanks,
                   bool erased = false,
                   const ChangeArguments &change = nullptr) {
  runCases(text, everySchedule(NamedSchedule::Scope::Attention, topologies),
           erased, change);
}

TEST(AttentionSchedules, HeadsOnOneLevel) {
  Form form;
  form.extents['m'] = form.extents['n'] = 24;
  form.extents['h'] = 24;
  form.extents['d'] = form.extents['e'] = 2;
  runAll(form.text(), {"gpu=1", "gpu=2", "gpu=3", "gpu=4", "gpu=6", "gpu=8"},
         /*erased=*/true);
}

TEST(AttentionSchedules, HeadsOnTwoLevels) {
  Form form;
  form.extents['m'] = form.extents['n'] = 24;
  form.extents['d'] = form.extents['e'] = 2;
  runAll(form.text(),
         {"node=2,gpu=2", "node=2,gpu=3", "node=2,gpu=4", "node=4,gpu=2"},
         /*erased=*/true);
}

static Form grouped(int64_t heads, int64_t group) {
  Form form;
  form.query = "hgmd";
  form.out = "hgme";
  form.extents['h'] = heads;
  form.extents['g'] = group;
  return form;
}

TEST(AttentionSchedules, GroupedQueryHeads) {
  runAll(grouped(2, 4).text(), fourRanks, true);
  runAll(grouped(4, 2).text());
  runAll(grouped(2, 3).text());
}

TEST(AttentionSchedules, OneKVHead) {
  runAll(grouped(1, 4).text(), fourRanks, true);
  Form form; // no loop of KV heads at all
  form.query = "gmd";
  form.key = "nd";
  form.value = "ne";
  form.out = "gme";
  form.extents['g'] = 4;
  runAll(form.text(), fourRanks, true);
}

TEST(AttentionSchedules, ElementTypes) {
  for (std::string type : {"bf16", "f16", "f64"}) {
    Form form;
    form.type = form.outType = type;
    runAll(form.text());
  }
  Form form;
  form.type = "bf16";
  runAll(form.text(), {"gpu=4"});
}

TEST(AttentionSchedules, ScaleOfOne) {
  Form form;
  form.scale = 1;
  runAll(form.text(), {"gpu=4"});
}

/// Some of the mask's elements, and all of its first row, are -inf.
static void maskSome(std::vector<run::HostTensor> &arguments) {
  run::HostTensor &mask = arguments[3];
  int64_t row = mask.spec.shape.back();
  for (int64_t i = 0; i < mask.spec.numElements(); ++i)
    if (i < row || i % 3 == 0)
      mask.set(i, -INFINITY);
}

TEST(AttentionSchedules, Masks) {
  Form form;
  for (std::string mask : {"hmn", "mn", "hn", "n", "m"}) {
    form.mask = mask;
    runAll(form.text(), fourRanks, false, maskSome);
  }
  form.query = "bhmd";
  form.key = "bhnd";
  form.value = "bhne";
  form.out = "bhme";
  for (std::string mask : {"bmn", "bn", "hmn"}) {
    form.mask = mask;
    runAll(form.text(), fourRanks, mask == "bmn", maskSome);
  }
}

TEST(AttentionSchedules, SevenHeads) {
  Form form;
  form.extents['h'] = 7;
  runAll(form.text(), fourRanks, true);
}

TEST(AttentionSchedules, TransposedOperands) {
  Form form;
  form.key = "hdn";
  runAll(form.text(), fourRanks, true);
  // (sequence, head, feature), as projections leave them.
  form.query = "mhd";
  form.key = "nhd";
  form.value = "nhe";
  runAll(form.text());
}

TEST(AttentionSchedules, LogSumExp) {
  Form form;
  form.logSumExp = true;
  runAll(form.text(), fourRanks, true);
}

TEST(AttentionSchedules, FeaturesThatDiffer) {
  Form form;
  form.extents['e'] = 6;
  runAll(form.text());
}

TEST(AttentionSchedules, Batches) {
  Form form;
  form.query = "bhmd";
  form.key = "bhnd";
  form.value = "bhne";
  form.out = "bhme";
  runAll(form.text(), fourRanks, true);
  form.extents['h'] = 2;
  runAll(form.text());
  form.query = "bhgmd"; // and groups
  form.out = "bhgme";
  runAll(form.text());
  Form merged;
  merged.extents['h'] = 8; // batch * heads
  runAll(merged.text());
}

/// Sums of exponentials are positive.
static void makeSumsPositive(std::vector<run::HostTensor> &arguments) {
  run::HostTensor &sums = arguments.back();
  for (int64_t i = 0; i < sums.spec.numElements(); ++i)
    sums.set(i, std::fabs(sums.get(i)) + 1);
}

TEST(AttentionSchedules, ContinuedState) {
  Form form;
  runAll(form.continuedText(), fourRanks, true, makeSumsPositive);
  form.extents['m'] = 9;
  form.extents['n'] = 7;
  runAll(form.continuedText(), fourRanks, true, makeSumsPositive);
}

// One head, and no loop for it: what is for heads says so.
TEST(AttentionSchedules, NoHeads) {
  Form form;
  form.query = "md";
  form.key = "nd";
  form.value = "ne";
  form.out = "me";
  Program program(form.text(), 7);
  for (const auto &[schedule, topology, balance] :
       everySchedule(NamedSchedule::Scope::Attention, {"gpu=1", "gpu=4"})) {
    bool isForHeads = topology != "gpu=1" && (schedule.starts_with("ulysses") ||
                                              schedule.starts_with("usp"));
    std::string axes = schedule == "usp"               ? "gpu:(2)2"
                       : schedule == "usp_ring_inside" ? "gpu:(1)2"
                                                       : "gpu";
    std::string expected =
        isForHeads ? "'commir.online_attention' has no loop of heads to "
                     "parallelize over {" +
                         axes + "}\ncannot distribute @attention"
                   : "";
    EXPECT_EQ(program.runOnRanks(schedule, topology), expected) << schedule;
  }
}

TEST(AttentionSchedules, Decode) {
  Form form = grouped(2, 2);
  form.extents['m'] = 1;
  form.extents['n'] = 16;
  runAll(form.text(), fourRanks, true);
}

/// Queries and keys of one length, on one machine.
static void runLength(int64_t length, const std::string &topology) {
  Form form;
  form.extents['m'] = form.extents['n'] = length;
  if (length > 1000) {
    form.extents['h'] = 1;
    form.extents['d'] = form.extents['e'] = 1;
  }
  runAll(form.text(), {topology}, /*erased=*/length < 100);
}

TEST(AttentionSchedules, LengthsThatDoNotDivide) {
  runLength(9, "gpu=2");
  runLength(9, "gpu=8");
  runLength(3, "gpu=4");
  runLength(513, "gpu=2");
}

TEST(AttentionSchedules, LongLengthThatDoesNotDivide) {
  runLength(2999, "gpu=4");
}

TEST(AttentionSchedules, ValidKeys) {
  for (int64_t count : {5, 0}) {
    Form form;
    form.valid = "%count";
    form.before =
        "  %count = arith.constant " + std::to_string(count) + " : index\n";
    runAll(form.text(), fourRanks, true);
    form.extents['n'] = 7;
    runAll(form.text(), fourRanks, true);
  }
}

TEST(AttentionSchedules, ValidKeysThatAreComputed) {
  Form form;
  form.arguments = ", %counts: tensor<2xi64>";
  form.valid = "%count";
  form.before = "  %c1 = arith.constant 1 : index\n"
                "  %element = tensor.extract %counts[%c1] : tensor<2xi64>\n"
                "  %given = arith.index_cast %element : i64 to index\n"
                "  %count = arith.addi %given, %c1 : index\n";
  runAll(
      form.text(), fourRanks, true,
      [](std::vector<run::HostTensor> &arguments) { arguments[3].set(1, 4); });
}

TEST(AttentionSchedules, ValidKeysOfACaller) {
  Form form;
  form.arguments = ", %count: index";
  form.valid = "%count";
  for (int64_t count : {0, 5, 100})
    runAll(form.text(),
           count == 5 ? fourRanks : std::vector<std::string>{"gpu=4"}, false,
           [&](std::vector<run::HostTensor> &arguments) {
             arguments[3].set(0, count);
           });
  // The same, given by a function that calls it.
  std::string text = form.text(), types = form.tensor("hmd", "f32");
  text.insert(text.find("@"), "private ");
  text += "func.func @main(%q: " + types + ", %k: " + types + ", %v: " + types +
          ") -> " + types + " {\n  %n = arith.constant 5 : index\n" +
          "  %r = call @attention(%q, %k, %v, %n) : (" + types + ", " + types +
          ", " + types + ", index) -> " + types + "\n  return %r : " + types +
          "\n}\n";
  runAll(text);
}

/// What each rank sends, of f32, on a machine of `rows` * `columns` ranks whose
/// levels, or factors of the only level, these are.
static void checkBytes(const Form &form, const std::string &topology,
                       int64_t rows, int64_t columns) {
  auto elements = [&](const std::string &dims) {
    double count = 4; // bytes each
    for (char dim : dims)
      count *= form.extents.at(dim);
    return count;
  };
  double ranks = rows * columns, others = (ranks - 1) / ranks;
  double q = elements(form.query), kv = elements(form.key) * 2,
         state = elements(form.out) + 2 * elements(form.rows());
  // All-to-all of Q, K, V and O over n of the ranks, each of which has 1/ranks.
  auto exchange = [&](double n) { return (2 * q + kv) / ranks * (n - 1) / n; };
  auto ring = [&](double n) { return kv / ranks * (n - 1); };
  std::map<std::string, double> expected = {
      {"context_parallel", kv * others},
      {"ring", kv * others},
      {"ring_bidirectional", kv * others},
      {"double_ring", kv * others},
      // One hop of Q lies before the first step.
      {"ring_of_queries", q + state * others},
      {"ulysses", exchange(ranks)},
      {"ulysses_staged", exchange(ranks)},
      {"usp", exchange(columns) + ring(rows)},
      {"usp_ring_inside", exchange(rows) + ring(columns)},
      {"tree", 2 * state * others}};
  Program program(form.text(), 7);
  for (const auto &[schedule, bytes] : expected) {
    RunDetails details;
    EXPECT_EQ(program.runOnRanks(schedule, topology, &details), "");
    for (int64_t sent : details.bytesSent)
      EXPECT_EQ(sent, bytes) << schedule << " on " << topology;
  }
}

TEST(AttentionSchedules, BytesSent) {
  Form form = grouped(12, 2);
  form.extents['m'] = form.extents['n'] = 24;
  checkBytes(form, "gpu=4", 2, 2);
  checkBytes(form, "node=2,gpu=2", 2, 2);
  checkBytes(form, "node=2,gpu=3", 2, 3);
  // Parts of a tile that heads cut are not contiguous.
  form.query = "mhgd";
  checkBytes(form, "gpu=4", 2, 2);
}

// KV heads that do not suffice are exchanged first and then replicated.
TEST(AttentionSchedules, BytesSentToReplicas) {
  Form form = grouped(2, 4);
  Program program(form.text(), 7);
  double q = 2 * 4 * 8 * 4 * 4, kv = 2 * (2 * 8 * 4 * 4);
  for (const std::string &topology : fourRanks)
    for (std::string schedule : {"ulysses", "ulysses_staged"}) {
      RunDetails details;
      EXPECT_EQ(program.runOnRanks(schedule, topology, &details), "");
      for (int64_t sent : details.bytesSent)
        EXPECT_EQ(sent, 2 * q / 4 * 3 / 4 + kv / 4 / 2 + kv / 4)
            << schedule << " on " << topology;
    }
}
