//===- Methods.cpp - Distributed attention and GEMM -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Methods.h"
#include "../ContextParallel.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Tuning/CostModel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

using namespace mercury;
using namespace mercury::predict;

/// Times closer than this are ties.
static constexpr double tie = 1.03;
/// Pieces of a step in a fused kernel: 128 rows of the 1024 that a rank has.
static constexpr int64_t finestChunks = 8;

static bool holds(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

static int64_t numberBehind(const std::string &text, const char *word,
                            int64_t otherwise) {
  size_t at = text.find(word);
  return at == std::string::npos
             ? otherwise
             : std::atoll(text.c_str() + at + std::string(word).size());
}

static double spearman(const std::vector<double> &a,
                       const std::vector<double> &b) {
  auto ranksOf = [](const std::vector<double> &values) {
    std::vector<size_t> order(values.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](size_t x, size_t y) { return values[x] < values[y]; });
    std::vector<double> ranks(values.size());
    for (size_t begin = 0, end; begin < order.size(); begin = end) {
      for (end = begin; end < order.size() &&
                        values[order[end]] <= tie * values[order[begin]];)
        ++end;
      for (size_t i = begin; i < end; ++i)
        ranks[order[i]] = double(begin + end - 1) / 2;
    }
    return ranks;
  };
  std::vector<double> x = ranksOf(a), y = ranksOf(b);
  double mean = double(x.size() - 1) / 2, xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Heads over `ulysses` ranks that follow each other, a ring over the others.
struct ContextParallel {
  int64_t ulysses = 1, ring = 1;
  TokenOrder::Kind balance = TokenOrder::Kind::Natural;
  /// Balance is nothing where no sequence is divided among a ring.
  std::string program() const {
    std::string text =
        "ulysses " + std::to_string(ulysses) + " ring " + std::to_string(ring);
    if (ring == 1)
      return text;
    return text + (balance == TokenOrder::Kind::Zigzag    ? " zigzag"
                   : balance == TokenOrder::Kind::Striped ? " striped"
                                                          : " plain");
  }
};

struct AttentionRow {
  const Row *row = nullptr;
  ContextParallel method;
  double measured = 0, predicted = 0;
  Schedule schedule;
};

/// Rows of one configuration, and the model that they share.
struct Group {
  std::vector<AttentionRow> rows;
  std::shared_ptr<CostModel> model;
};
} // namespace

static Verdict scheduleOf(const ContextParallel &method,
                          const OperatorModel &op,
                          const TopologyModel &topology, Schedule &s) {
  // A level of one rank has no axis, the whole level no factor.
  auto factor = [&](int64_t pre, int64_t size) {
    return size == 1
               ? AxisList{}
               : AxisList{{"gpu", pre, size < topology.numRanks() ? size : 0}};
  };
  if (Verdict v =
          bench::contextParallel(s, op, topology, factor(1, method.ring),
                                 factor(method.ring, method.ulysses));
      !v)
    return v;
  TokenOrder order;
  int64_t parts = balanceParts(s, op, topology);
  if (method.balance == TokenOrder::Kind::Zigzag && method.ring > 1)
    order = TokenOrder::zigzag(parts);
  if (method.balance == TokenOrder::Kind::Striped && method.ring > 1)
    order = TokenOrder::striped(parts, 1);
  if (Verdict v = setOrder(s, op, topology, order); !v)
    return v;
  directRings(s, op, topology);
  return verify(s, op, topology);
}

static std::optional<ContextParallel> methodOf(const Row &row) {
  const std::string &text = row["method"];
  ContextParallel method;
  int64_t ranks = row.integer("gpus", 1);
  method.ulysses = numberBehind(text, "ulysses=", 1);
  method.ring = numberBehind(
      text, " ring=", ranks / std::max<int64_t>(method.ulysses, 1));
  if (method.ulysses * method.ring != ranks ||
      (!holds(text, "USP") && !holds(text, "ring")))
    return std::nullopt;
  if (holds(text, "zigzag"))
    method.balance = TokenOrder::Kind::Zigzag;
  else if (holds(text, "strip"))
    method.balance = TokenOrder::Kind::Striped;
  return method;
}

static CostProblem problemOf(const Row &row) {
  AttentionShape shape;
  shape.batch = row.integer("batch", 1);
  shape.kvHeads = row.integer("kv_heads", 1);
  shape.group = row.integer("heads", 1) / shape.kvHeads;
  shape.queries = shape.keys = row.integer("seqlen_or_MNK", 1);
  shape.headDim = shape.valueDim = row.integer("head_dim", 1);
  std::optional<Mask> mask;
  if (row["causal"] == "yes")
    mask = Mask{{MaskTerm{std::nullopt, 0, 0}}};
  // Results leave in the type of the inputs; the ring merges them in f32.
  CostProblem problem = attentionProblem(shape, mask, row["dtype"], 2, 2);
  problem.library = "FA2";
  problem.isForeign = true;
  problem.gradientBytes = 4;
  if (row["direction"] == "fwd+bwd")
    problem.direction = CostProblem::Direction::Both;
  return problem;
}

/// Builds problem and schedules; the reason where that fails.
static std::string buildGroup(Group &group) {
  std::string error;
  const Row &row = *group.rows.front().row;
  std::optional<TopologyModel> topology =
      parseTopology(deviceOf(row).machine + ":gpu=" + row["gpus"], error);
  if (!topology)
    return error;
  CostProblem problem = problemOf(row);
  for (AttentionRow &line : group.rows)
    if (Verdict v =
            scheduleOf(line.method, problem.op, *topology, line.schedule);
        !v)
      return v.reason();
  group.model = std::make_shared<CostModel>(problem, *topology);
  return "";
}

static void predictGroup(Group &group, double mergePasses) {
  group.model->setMergePasses(mergePasses);
  for (AttentionRow &line : group.rows)
    line.predicted = group.model->seconds(line.schedule);
}

template <typename Member>
static double fastest(const Group &group, Member member) {
  double best = HUGE_VAL;
  for (const AttentionRow &line : group.rows)
    best = std::min(best, line.*member);
  return best;
}

static std::vector<double> errorsOf(const Group &group) {
  double measured = fastest(group, &AttentionRow::measured),
         predicted = fastest(group, &AttentionRow::predicted);
  std::vector<double> errors;
  for (const AttentionRow &line : group.rows)
    errors.push_back((line.predicted / predicted) / (line.measured / measured) -
                     1);
  return errors;
}

static void printAttention(std::map<std::string, Group> &groups, bool all) {
  // One constant for all rows.
  double passes = 0, least = HUGE_VAL;
  for (double candidate = 0; candidate <= 24; candidate += 1) {
    std::vector<double> errors;
    for (auto &[name, group] : groups) {
      predictGroup(group, candidate);
      for (double error : errorsOf(group))
        errors.push_back(std::abs(std::log1p(error)));
    }
    double sum = 0;
    for (double error : errors)
      sum += error;
    if (sum < least) {
      least = sum;
      passes = candidate;
    }
  }
  std::printf("(b) Methods, attention: time relative to the fastest row of the "
              "same group\n    the foreign ring merges with %.0f passes over "
              "the state (fitted once over all rows)\n\n"
              "  %-52s %5s %8s %7s %7s %9s  %s\n",
              passes, "group", "rows", "programs", "median", "90%", "Spearman",
              "predicted winner, measured to the best");
  std::vector<double> absolute, spearmans;
  int wrong = 0;
  struct Miss {
    const AttentionRow *line;
    double error;
    std::string group;
  };
  std::vector<Miss> misses;
  for (auto &[name, group] : groups) {
    predictGroup(group, passes);
    std::vector<double> errors = errorsOf(group), sizes;
    for (size_t i = 0; i < group.rows.size(); ++i) {
      sizes.push_back(std::abs(errors[i]));
      absolute.push_back(sizes.back());
      misses.push_back({&group.rows[i], errors[i], name});
    }
    // A program's time is the geometric mean of its rows.
    std::map<std::string, std::pair<double, int>> logs;
    std::map<std::string, double> predictions;
    for (const AttentionRow &line : group.rows) {
      auto &[sum, count] = logs[line.method.program()];
      sum += std::log(line.measured);
      ++count;
      predictions[line.method.program()] = line.predicted;
    }
    std::vector<double> measured, predicted;
    double best = HUGE_VAL, bestPredicted = HUGE_VAL, winner = 0;
    std::string winnerName;
    for (auto &[program, log] : logs) {
      double time = std::exp(log.first / log.second);
      measured.push_back(time);
      predicted.push_back(predictions[program]);
      best = std::min(best, time);
      if (predictions[program] < bestPredicted) {
        bestPredicted = predictions[program];
        winner = time;
        winnerName = program;
      }
    }
    bool counts = measured.size() >= 5;
    double rho = spearman(measured, predicted);
    if (counts)
      spearmans.push_back(rho);
    wrong += winner > 1.05 * best;
    std::printf("  %-52s %5zu %8zu %6.1f%% %6.1f%% %9.2f  %s, %.3f\n",
                name.c_str(), group.rows.size(), measured.size(),
                100 * median(sizes), 100 * ninetieth(sizes), rho,
                winnerName.c_str(), winner / best);
  }
  double mean = 0;
  for (double rho : spearmans)
    mean += rho / double(spearmans.size());
  std::printf("\n  %zu rows: median error %.1f%% (target 8%%), 90%% below "
              "%.1f%% (target 25%%); mean Spearman of %zu groups %.2f (target "
              "0.85); winner more than 5%% behind the best in %d groups "
              "(target 1)\n",
              absolute.size(), 100 * median(absolute),
              100 * ninetieth(absolute), spearmans.size(), mean, wrong);
  std::sort(misses.begin(), misses.end(), [](const Miss &a, const Miss &b) {
    return std::abs(a.error) > std::abs(b.error);
  });
  std::printf("  worst:\n");
  for (size_t i = 0; i < misses.size() && (all || i < 10); ++i) {
    const Row &row = *misses[i].line->row;
    std::printf("    %+6.1f%%  line %zu: %s; %s: measured %.2f ms, predicted "
                "%.2f ms\n",
                100 * misses[i].error, row.line, misses[i].group.c_str(),
                row["method"].c_str(), 1e3 * misses[i].line->measured,
                1e3 * misses[i].line->predicted);
  }
  std::printf("\n");
}

//===----------------------------------------------------------------------===//
// GEMM with a collective
//===----------------------------------------------------------------------===//

namespace {
struct GemmRow {
  const Row *row = nullptr;
  double measured = 0, predicted = 0;
};
} // namespace

static std::string predictGemm(GemmRow &line) {
  const Row &row = *line.row;
  int64_t nodes = row.integer("nodes", 1), ranks = row.integer("gpus", 1);
  std::string error, text = deviceOf(row).machine + ":";
  if (nodes > 1)
    text += "node=" + std::to_string(nodes) + ",";
  std::optional<TopologyModel> topology =
      parseTopology(text + "gpu=" + std::to_string(ranks / nodes), error);
  if (!topology)
    return error;
  if (row["gpu"] == "H800") {
    // 8 of the 18 links of an H100: 400 GB/s both ways.
    Level &level = topology->levels.back();
    level.bandwidth *= 8.0 / 18;
    level.curves.clear();
  }
  long long m = 0, n = 0, k = 0;
  if (std::sscanf(row["seqlen_or_MNK"].c_str(), "M%lld N%lld K%lld", &m, &n,
                  &k) != 3)
    return "shape not stated";
  bool gathers = row["op"] == "AllGather+GEMM";
  CostProblem problem = gemmProblem(m, n, k, "bf16", 2);
  problem.library = "generated";
  problem.isForeign = true;
  Schedule apart, fused;
  if (Verdict v =
          makeNamedSchedule(gathers ? "all_gather_gemm" : "gemm_reduce_scatter",
                            apart, problem.op, *topology);
      !v)
    return v.reason();
  if (Verdict v = makeNamedSchedule(gathers ? "all_gather_gemm_shifted"
                                            : "gemm_reduce_scatter_shifted",
                                    fused, problem.op, *topology);
      !v)
    return v.reason();
  fused.chunks = finestChunks;
  double synchronous = CostModel(problem, *topology).seconds(apart);
  problem.isFused = true;
  line.predicted = synchronous / CostModel(problem, *topology).seconds(fused);
  return "";
}

static void printGemm(std::vector<GemmRow> &rows) {
  std::printf("(b) Methods, GEMM with a collective: speedup over the "
              "synchronous form, %lld pieces a step\n\n"
              "  %5s %-42s %-20s %9s %9s %8s\n",
              static_cast<long long>(finestChunks), "line", "row", "method",
              "measured", "predicted", "error");
  std::map<std::string, std::vector<double>> errors;
  std::vector<double> absolute;
  for (GemmRow &line : rows) {
    const Row &row = *line.row;
    double error = line.predicted / line.measured - 1;
    absolute.push_back(std::abs(error));
    errors[row["op"] + ", " + row["gpus"] + " GPUs, " + row["method"]]
        .push_back(std::abs(error));
    std::printf(
        "  %5zu %-42s %-20s %9.2f %9.2f %+7.1f%%\n", row.line,
        (row["op"] + " " + row["gpus"] + " " + row["seqlen_or_MNK"]).c_str(),
        row["method"].c_str(), line.measured, line.predicted, 100 * error);
  }
  for (auto &[name, list] : errors)
    std::printf("  %-60s %3zu rows, median %.1f%%\n", name.c_str(), list.size(),
                100 * median(list));
  std::printf("\n  %zu rows: median error %.1f%% (target 25%%), 90%% below "
              "%.1f%%\n\n",
              absolute.size(), 100 * median(absolute),
              100 * ninetieth(absolute));
}

//===----------------------------------------------------------------------===//
// Tables (b) and (c)
//===----------------------------------------------------------------------===//

/// Why a row of a method cannot be expressed, before anything is built.
static std::string reasonOf(const Row &row) {
  const std::string &op = row["op"];
  if (op == "nccl_tuner_constant")
    return "a constant of NCCL's own model, no measurement";
  if (op == "NIC throughput")
    return "a range of a card's throughput, no operation";
  if (op == "p2p copy")
    return "message size not stated";
  if (holds(op, "flash-decode"))
    return "heads and head dimension not stated";
  if (holds(op, "decode step") || holds(op, "training") ||
      holds(op, "end to end") || holds(op, "forward") || holds(op, "layer"))
    return "a whole model or layer, no single operator";
  if (row["seqlen_or_MNK"] == "65536")
    return "a group of 65,536 tokens: its balanced causal rings are no faster "
           "than plain ones";
  if (!row.number("value"))
    return "no time ('" + row["value"] + "')";
  return "";
}

void mercury::predict::printMethods(const std::vector<Row> &rows, bool all,
                                    std::map<size_t, std::string> &reasons) {
  std::map<std::string, Group> groups;
  std::vector<GemmRow> gemms;
  for (const Row &row : rows) {
    const std::string &op = row["op"];
    bool isGemm = op == "AllGather+GEMM" || op == "GEMM+ReduceScatter";
    if (op == "attention kernel" || op == "GEMM" || op == "all_reduce" ||
        op == "all_gather" || op == "reduce_scatter" || op == "alltoall" ||
        op == "sendrecv")
      continue;
    if (std::string reason = reasonOf(row); !reason.empty()) {
      reasons[row.line] = reason;
    } else if (isGemm) {
      GemmRow line{&row, *row.number("value"), 0};
      if (std::string reason = predictGemm(line); !reason.empty())
        reasons[row.line] = reason;
      else
        gemms.push_back(line);
    } else if (std::optional<ContextParallel> method = methodOf(row);
               op == "attention" && method && row["metric"] == "iter/s") {
      const std::string &source = row["source"];
      std::string name = "H" + row["heads"] + "/" + row["kv_heads"] + " D" +
                         row["head_dim"] + " S" + row["seqlen_or_MNK"] + " " +
                         row["direction"] +
                         (holds(source, "README") ? " (README)" : "");
      groups[name].rows.push_back(
          {&row, *method, 1 / *row.number("value"), 0, {}});
    } else {
      reasons[row.line] = "'" + op + "' by '" + row["method"] +
                          "' is no operator or method of the model";
    }
  }
  for (auto it = groups.begin(); it != groups.end();) {
    std::string reason =
        fastest(it->second, &AttentionRow::measured) < 2e-3
            ? "the fastest row of its group takes under 2 ms: launches by the "
              "host"
            : buildGroup(it->second);
    if (reason.empty()) {
      ++it;
      continue;
    }
    for (const AttentionRow &line : it->second.rows)
      reasons[line.row->line] = reason;
    it = groups.erase(it);
  }
  printAttention(groups, all);
  printGemm(gemms);
}

void mercury::predict::printReasons(
    const std::vector<Row> &rows,
    const std::map<size_t, std::string> &reasons) {
  std::printf("(c) What cannot be expressed: %zu rows\n\n", reasons.size());
  for (const Row &row : rows)
    if (auto it = reasons.find(row.line); it != reasons.end())
      std::printf("  %5zu %s, %s, %s, %s: %s\n", row.line, row["gpu"].c_str(),
                  row["op"].c_str(), row["seqlen_or_MNK"].c_str(),
                  row["method"].c_str(), it->second.c_str());
}
