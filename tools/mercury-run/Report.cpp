//===- Report.cpp - What a run prints -------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

namespace mercury::run {

static constexpr llvm::StringLiteral classNames[MERCURY_NUM_CLASSES] = {
    "own_shard", "travelling", "staging", "workspace", "held_for_others"};

std::string printTable(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const std::vector<std::string> &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      std::string blanks(widths[i] - row[i].size(), ' ');
      if (i == 0)
        text += row[i] + (row.size() > 1 ? blanks : "");
      else
        text += "  " + blanks + row[i];
    }
    text += '\n';
  }
  return text;
}

std::string printCount(int64_t value) {
  std::string text = std::to_string(value);
  for (size_t at = text.size(); at > 3 && text[at - 4] != '-'; at -= 3)
    text.insert(at - 3, ",");
  return text;
}

template <typename... Ts>
static std::string printf(const char *form, Ts... values) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(form, values...);
  return text;
}

std::string printSeconds(double seconds) {
  if (seconds < 1e-3)
    return printf("%.1f us", seconds * 1e6);
  if (seconds < 1)
    return printf("%.2f ms", seconds * 1e3);
  return printf("%.2f s", seconds);
}

/// "node=2,gpu=2"
static std::string printTopology(const TopologyModel &topology) {
  std::string text;
  for (const Level &level : topology.levels)
    text += (text.empty() ? "" : ",") + level.name + "=" +
            std::to_string(level.size);
  return text;
}

static std::string printVerdict(const Report &report) {
  if (!report.verification)
    return "not verified (--verify)";
  return report.verification->verified() ? "verified" : "WRONG";
}

void printReport(llvm::raw_ostream &os, const Report &report, bool stats) {
  const CompiledProgram &program = report.program;
  const RunResult &run = report.run;
  std::string error =
      report.verification ? printf("%.2g", report.verification->error) : "-";
  std::string time = printSeconds(run.medianSeconds());
  if (run.seconds.size() > 1)
    time += " (median of " + std::to_string(run.seconds.size()) + ")";
  os << printTable({{"schedule", "ranks", "error", "time", "result"},
                    {program.schedule,
                     std::to_string(program.topology.numRanks()) + " (" +
                         printTopology(program.topology) + ")",
                     error, time, printVerdict(report)}})
     << '\n';

  std::vector<std::vector<std::string>> rows = {
      {"rank", "multiply-adds", "bytes sent", "peak bytes"}};
  if (stats) {
    rows[0].insert(rows[0].end(), {"bytes received", "messages", "waited"});
    for (llvm::StringRef name : classNames)
      rows[0].push_back(name.str());
  }
  for (size_t rank = 0; rank < run.stats.size(); ++rank) {
    const mercury_host_stats &s = run.stats[rank];
    std::vector<std::string> &row = rows.emplace_back();
    row = {std::to_string(rank), printCount(program.multiplyAddsOfRanks[rank]),
           printCount(s.bytes_sent), printCount(s.peak_bytes)};
    if (!stats)
      continue;
    row.insert(row.end(), {printCount(s.bytes_received), printCount(s.messages),
                           printSeconds(s.wait_seconds)});
    for (int64_t bytes : s.class_peak_bytes)
      row.push_back(printCount(bytes));
  }
  os << printTable(rows);
  if (program.isMasked && program.inputMultiplyAdds > 0) {
    double all = 0, ranks = program.topology.numRanks(),
           input = program.inputMultiplyAdds;
    for (int64_t work : program.multiplyAddsOfRanks)
      all += work;
    os << '\n'
       << printTable({{"work", "of an equal share"},
                      {"most of a rank",
                       printf("%.3f", program.multiplyAdds * ranks / input)},
                      {"all ranks", printf("%.3f", all / input)}});
  }
  if (!stats)
    return;
  os << '\n'
     << printTable({{"phase", "time"},
                    {"distribute", printSeconds(program.distributeSeconds)},
                    {"lower", printSeconds(program.lowerSeconds)},
                    {"machine code", printSeconds(program.jitSeconds)}});
}

void printJSON(llvm::raw_ostream &os, const Report &report) {
  const CompiledProgram &program = report.program;
  const RunResult &run = report.run;
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("entry", program.entry);
    json.attribute("schedule", program.schedule);
    json.attribute("topology", printTopology(program.topology));
    json.attribute("ranks", program.topology.numRanks());
    if (const auto &verification = report.verification) {
      json.attribute("verified", verification->verified());
      // JSON has no infinity.
      if (std::isfinite(verification->error))
        json.attribute("error", verification->error);
      else
        json.attribute("error", nullptr);
      json.attributeArray("failures", [&] {
        for (const std::string &failure : verification->failures)
          json.value(failure);
      });
      json.attributeArray("notes", [&] {
        for (const std::string &note : verification->notes)
          json.value(note);
      });
    }
    json.attribute("seconds", run.medianSeconds());
    json.attributeArray("all_seconds", [&] {
      for (double seconds : run.seconds)
        json.value(seconds);
    });
    json.attributeObject("compile_seconds", [&] {
      json.attribute("distribute", program.distributeSeconds);
      json.attribute("lower", program.lowerSeconds);
      json.attribute("machine_code", program.jitSeconds);
    });
    json.attribute("multiply_adds_of_input", program.inputMultiplyAdds);
    json.attributeArray("per_rank", [&] {
      for (auto [s, work] :
           llvm::zip_equal(run.stats, program.multiplyAddsOfRanks))
        json.object([&] {
          json.attribute("multiply_adds", work);
          json.attribute("bytes_sent", s.bytes_sent);
          json.attribute("bytes_received", s.bytes_received);
          json.attribute("messages", s.messages);
          json.attribute("wait_seconds", s.wait_seconds);
          json.attribute("peak_bytes", s.peak_bytes);
          json.attributeObject("peak_bytes_of_class", [&] {
            for (int i = 0; i < MERCURY_NUM_CLASSES; ++i)
              json.attribute(classNames[i], s.class_peak_bytes[i]);
          });
        });
    });
  });
  os << '\n';
}

Progress::Progress(llvm::raw_ostream &os, double delay)
    : os(os), delay(delay), thread([this] { watch(); }) {}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  changed.notify_all();
  thread.join();
}

void Progress::enter(llvm::StringRef name) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    phase = name.str();
    ++phases;
  }
  changed.notify_all();
}

void Progress::watch() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock<std::mutex> lock(mutex);
  while (!done) {
    uint64_t current = phases;
    Clock::time_point start = Clock::now();
    double next = delay;
    auto leaves = [&] { return done || phases != current; };
    while (
        !changed.wait_until(lock,
                            start + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(next)),
                            leaves)) {
      if (!phase.empty())
        os << "mercury-run: " << phase << ", " << printf("%.0f", next)
           << " s so far\n";
      next += 10;
    }
  }
}

} // namespace mercury::run
