//===- ReportTest.cpp - The forms of a report -----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Report.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mercury;

static Report sample() {
  Report report;
  std::string error;
  report.machine = "node=2,gpu=4";
  report.topology = *parseTopology(report.machine, error);
  report.topology.levels[1].bandwidth = 4.5e11;
  report.topology.device.memory = int64_t(80) << 30;
  report.memoryLimit = int64_t(76) << 30;
  ReportOperator op;
  op.title = "commir.online_attention heads 32, queries 4096, keys 4096, bf16";
  ReportRow found;
  found.words = "heads over gpu, K/V ring over node";
  found.schedule = "loops [rank gpu, -, -]";
  found.seconds = 1.25e-3;
  found.interval = 0.1;
  found.bound = "compute";
  found.traffic = {{"gpu", 3 << 20, 0}, {"node", 1 << 20, 2e9, 1.5}};
  found.slowestBytes = 1 << 20;
  found.energy = 2.5;
  found.memory = int64_t(5) << 30;
  found.isPareto = true;
  ReportRow ring = found;
  ring.name = "ring";
  ring.seconds = 2.5e-3;
  ring.memory = int64_t(90) << 30;
  ring.overLimit = "needs 90.0 GiB of 76.0 GiB";
  ReportRow refused;
  refused.name = "gemm_2d";
  refused.reason = "is for contractions <other> than attention";
  op.found = {found};
  op.designs = {ring, refused};
  op.pareto = {{1.25e-3, int64_t(5) << 30}, {3e-3, int64_t(2) << 30}};
  op.visited = 100;
  op.pruned = 20;
  op.overLimit = 3;
  op.isProven = true;
  report.timeline = {{0, "compute", "attention", 0, 1e-3},
                     {0, "node", "hop \"0\"", 0, 5e-4},
                     {1, "compute", "attention", 0, 1.25e-3}};
  report.operators = {op};
  return report;
}

template <typename Writer, typename Value>
static std::string textOf(Writer writer, const Value &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writer(os, value);
  return text;
}

static size_t count(llvm::StringRef text, llvm::StringRef part) {
  return text.count(part);
}

TEST(Report, Figures) {
  EXPECT_EQ(timeText(0), "0.00 ns");
  EXPECT_EQ(timeText(1.234e-6), "1.23 us");
  EXPECT_EQ(timeText(99.96e-3), "100 ms");
  EXPECT_EQ(timeText(12.34), "12.3 s");
  EXPECT_EQ(timeText(5000), "5000 s");
  EXPECT_EQ(bytesText(1023), "1023 B");
  EXPECT_EQ(bytesText(1536), "1.50 KiB");
  EXPECT_EQ(rateText(4.5e11), "450 GB/s");
  EXPECT_EQ(energyText(1500), "1.50 kJ");
  EXPECT_EQ(energyText(2e-3), "2.00 mJ");
}

TEST(Report, Table) {
  std::string text = textOf(writeTable, sample());
  for (const char *part :
       {"node=2,gpu=4: 8 ranks, 76.0 GiB each", "1 *", "1.25 ms +-10%",
        "heads over gpu, K/V ring over node",
        "gpu 3.00 MiB, node 1.00 MiB "
        "(needs 2.00 GB/s)",
        "2.00", "OOM: needs 90.0 GiB of 76.0 GiB",
        "is for contractions <other> than attention",
        "the first is the best of the model's space"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(count(text, "measured"), 0u);
  EXPECT_EQ(count(text, "half its bandwidth"), 0u);
  Report sensitive = sample();
  sensitive.showsSensitivity = true;
  text = textOf(writeTable, sensitive);
  EXPECT_NE(text.find("node: 1.50 times as long at half its bandwidth; 1.00 "
                      "MiB over the slowest level; 2.50 J"),
            std::string::npos)
      << text;
  Report unproven = sample();
  unproven.operators[0].isProven = false;
  unproven.operators[0].gap = 0.04;
  unproven.operators[0].found[0].measured = 2e-3;
  text = textOf(writeTable, unproven);
  EXPECT_NE(text.find("within 4%"), std::string::npos) << text;
  EXPECT_NE(text.find("2.00 ms"), std::string::npos) << text;
}

TEST(Report, Json) {
  auto value = llvm::json::parse(textOf(writeJson, sample()));
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  const llvm::json::Object &op =
      *(*value->getAsObject()->getArray("operators"))[0].getAsObject();
  const llvm::json::Object &found = *(*op.getArray("found"))[0].getAsObject();
  EXPECT_EQ(*found.getNumber("seconds"), 1.25e-3);
  EXPECT_EQ(*found.getInteger("memory_bytes"), int64_t(5) << 30);
  EXPECT_EQ(*found.getNumber("energy_joules"), 2.5);
  EXPECT_EQ(*found.getNumber("slowest_level_bytes"), 1 << 20);
  EXPECT_EQ(*(*found.getArray("traffic"))[1].getAsObject()->getNumber(
                "slowdown_at_half_bandwidth"),
            1.5);
  EXPECT_EQ(op.getArray("designs")->size(), 2u);
  EXPECT_TRUE((*op.getArray("designs"))[1].getAsObject()->getString("reason"));
}

TEST(Report, Page) {
  std::string text = textOf(writeHtml, sample());
  EXPECT_EQ(count(text, "<svg"), 3u);
  EXPECT_EQ(count(text, "</svg>"), 3u);
  // One point for what was found and one for the design that fits the
  // operator; refused ones have none.
  EXPECT_EQ(count(text, "class=\"point\""), 2u);
  EXPECT_NE(text.find("contractions &lt;other&gt;"), std::string::npos);
  EXPECT_EQ(count(text, "<script"), 0u);
  EXPECT_EQ(count(text, "http"), 0u);
  // Eight devices in two nodes.
  EXPECT_EQ(count(text, "80.0 GiB"), 8u);
  EXPECT_EQ(count(text, "nan"), 0u);
}

TEST(Report, Trace) {
  auto value = llvm::json::parse(textOf(writeTrace, sample().timeline));
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  // Two ranks, three streams, three pieces of work.
  EXPECT_EQ(value->getAsObject()->getArray("traceEvents")->size(), 8u);
}

TEST(Report, EmptyAnswers) {
  Report report;
  std::string error;
  report.machine = "gpu=1";
  report.topology = *parseTopology("gpu=1", error);
  report.operators.emplace_back().title = "nothing";
  for (std::string text :
       {textOf(writeTable, report), textOf(writeJson, report),
        textOf(writeHtml, report)})
    EXPECT_NE(text.find("nothing"), std::string::npos);
}
