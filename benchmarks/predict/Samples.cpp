//===- Samples.cpp - Published figures in the terms of the model ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Calibration.h"
#include "Mercury/Tuning/LinkTimes.h"

#include <cmath>
#include <cstdio>
#include <set>

using namespace mercury;
using namespace mercury::predict;

std::string Sample::key() const {
  std::string key = operation + "|" + library + "|" + generation;
  if (operation == "attention")
    key += "|" + std::to_string(headDim);
  return key;
}

static bool holds(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

/// The name under which a collective's rows stand.
static std::optional<Primitive> primitiveOf(const std::string &op) {
  if (op == "alltoall")
    return Primitive::AllToAll;
  if (op == "sendrecv")
    return Primitive::SendRecv;
  return symbolizePrimitive(op);
}

/// The reason why the row is none.
static std::string kernelSample(const Row &row, Sample &sample) {
  const std::string &op = row["op"], &metric = row["metric"];
  double value = row.number("value").value_or(0);
  sample.peak = deviceOf(row).peak * (row["dtype"] == "fp8" ? 2 : 1);
  if (sample.peak == 0)
    return "device '" + row["gpu"] + "' is none of the built-in machines";
  sample.direction = row["direction"];
  const std::string &method = row["method"];
  if (op == "attention kernel") {
    sample.operation = "attention";
    sample.library = holds(method, "SDPA") ? "SDPA" : method;
    sample.headDim = row.integer("head_dim", 0);
    sample.causal = row["causal"] == "yes";
    sample.size = row.number("seqlen_or_MNK").value_or(0);
    if (metric == "TFLOPS") {
      sample.fraction = value * 1e12 / sample.peak;
      return "";
    }
    std::optional<double> batch = row.number("batch"),
                          heads = row.number("heads");
    if (metric != "ms" || !batch || !heads)
      return "batch or heads not stated";
    sample.operations = 4 * *batch * *heads * sample.size * sample.size *
                        double(sample.headDim) * (sample.causal ? 0.5 : 1);
    sample.fraction = sample.operations / (value * 1e-3) / sample.peak;
    return "";
  }
  sample.operation = "gemm";
  sample.library = holds(method, "cuBLAS")     ? "cuBLAS"
                   : holds(method, "TileLang") ? "generated"
                                               : method;
  if (row["dtype"] == "fp8")
    sample.library += " fp8";
  double m = 0, n = 0, k = 0;
  if (std::sscanf(row["seqlen_or_MNK"].c_str(), "M%lf N%lf K%lf", &m, &n, &k) !=
      3)
    return "shape not stated";
  if (metric != "TFLOPS")
    return "-"; // the same run as time
  sample.size = std::cbrt(m * n * k);
  sample.fraction = value * 1e12 / sample.peak;
  return "";
}

static std::string collectiveSample(const Row &row, Sample &sample) {
  const std::string &method = row["method"];
  sample.operation = row["op"];
  sample.library = holds(method, "MSCCL++") ? "MSCCL++" : "NCCL";
  if (sample.machine.empty())
    return "device '" + row["gpu"] + "' is none of the built-in machines";
  std::optional<double> bytes = row.bytes();
  if (!bytes)
    return "message size not stated ('" + row["seqlen_or_MNK"] + "')";
  sample.size = *bytes;
  sample.ranks = row.integer("gpus", 0);
  sample.nodes = row.integer("nodes", 1);
  sample.ring = holds(method, "NVLS off") || method == "nccl-tests Ring";
  if (row["gpu"] == "A100" && holds(row["interconnect"], "NV12"))
    sample.machine = "a100-80"; // a pair that 12 bonded links join
  if (holds(row["interconnect"], "crosses PCIe"))
    return "two GPUs on NVLink and one behind PCIe: no machine of equal levels";
  double value = row.number("value").value_or(0);
  Primitive primitive = *primitiveOf(sample.operation);
  if (row["metric"] == "busbw GB/s")
    sample.bandwidth = value * 1e9;
  else if (row["metric"] == "time us")
    sample.bandwidth =
        busFactor(primitive, sample.ranks) * sample.size / (value * 1e-6);
  else
    return "metric '" + row["metric"] + "' is no bandwidth";
  return "";
}

/// Files of `measured`: an all-reduce among 8 devices of one node each.
static void addMeasured(const std::string &dataDir,
                        std::vector<Sample> &samples) {
  struct File {
    const char *name, *machine, *generation;
  };
  static const File files[] = {
      {"azure_nd_a100_v4_8gpu_ring_nccl2.18.5.csv", "a100-80", "Ampere"},
      {"azure_nd_h100_v5_8gpu_nvls_nccl2.18.5.csv", "h100-sxm", "Hopper"},
      {"azure_nd_h200_v5_8gpu_nvls_nccl2.20.5.csv", "h200", "Hopper"}};
  for (const File &file : files) {
    std::string error;
    auto rows = readRows(dataDir + "/measured/" + file.name, error);
    if (!rows)
      continue;
    for (const Row &row : *rows) {
      Sample sample;
      sample.line = row.line;
      sample.source = file.name;
      sample.generation = file.generation;
      sample.machine = file.machine;
      sample.operation = "all_reduce";
      sample.library = "NCCL";
      sample.size = row.number("bytes").value_or(0);
      sample.ranks = 8;
      // The column of bandwidths is rounded: 0.07 of small messages.
      double seconds = row.number("time_us").value_or(0) * 1e-6;
      if (sample.size <= 0 || seconds <= 0)
        continue;
      sample.bandwidth = 1.75 * sample.size / seconds;
      samples.push_back(std::move(sample));
    }
  }
}

std::vector<Sample>
mercury::predict::samplesOf(const std::vector<Row> &rows,
                            const std::string &dataDir,
                            std::map<size_t, std::string> &reasons) {
  std::vector<Sample> samples;
  std::set<std::string> runs;
  // Bandwidths first: a run that is also given as time is then known.
  for (bool times : {false, true})
    for (const Row &row : rows) {
      const std::string &op = row["op"];
      if ((row["metric"] == "time us") != times)
        continue;
      Sample sample;
      sample.line = row.line;
      sample.source = row["source"];
      Device device = deviceOf(row);
      sample.generation = device.generation;
      sample.machine = device.machine;
      std::string reason;
      if (op == "attention kernel" || op == "GEMM") {
        reason = kernelSample(row, sample);
      } else if (primitiveOf(op)) {
        std::string run = sample.source + "|" + op + "|" + row["gpu"] + "|" +
                          row["gpus"] + "|" + row["nodes"] + "|" +
                          row["seqlen_or_MNK"] + "|" + row["method"];
        reason = !runs.insert(run).second && times
                     ? "-"
                     : collectiveSample(row, sample);
      } else {
        continue;
      }
      if (reason == "-")
        continue;
      if (reason.empty())
        samples.push_back(std::move(sample));
      else
        reasons[row.line] = reason;
    }
  addMeasured(dataDir, samples);
  return samples;
}
