//===- Variants.cpp - Schedules in other blocks ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variants.h"
#include "Mercury/Schedule/Describe.h"
#include "Mercury/Tuning/LocalVariants.h"
#include "llvm/ADT/STLExtras.h"

using namespace mercury;

/// The schedule with each kernel that times do not tell apart, then in other
/// blocks.
static std::vector<Schedule> variantsOf(const Schedule &schedule,
                                        const CostProblem &problem,
                                        const TopologyModel &topology,
                                        bool isGenerated, size_t most) {
  std::vector<Schedule> variants;
  std::vector<std::string> compared =
      comparableKernels(problem, topology.device);
  for (const std::string &kernel : problem.kernels)
    if (!llvm::is_contained(compared, kernel) && kernel != problem.library &&
        schedule.patch.empty() && variants.size() < most) {
      variants.push_back(schedule);
      variants.back().patch = kernel;
    }
  if (isGenerated)
    llvm::append_range(variants,
                       localVariants(schedule, problem, topology, hostCaches(),
                                     most - variants.size()));
  return variants;
}

size_t tune::addVariants(const CommandLine &line, const TopologyModel &topology,
                         commir::DistributableOpInterface tuned, size_t count,
                         ReportOperator &op) {
  count = std::min(count, op.found.size());
  if (line.variants == 0)
    return count;
  std::vector<std::string> remarks; // said where the search was
  CostProblem problem =
      costProblemOf(tuned, line.tuning, topology.device, remarks);
  MemoryModel memory(memoryProblemOf(tuned, line.tuning.local), topology);
  int64_t limit = line.tuning.memoryLimit > 0 ? line.tuning.memoryLimit
                                              : availableBytes(topology.device);
  std::vector<ReportRow> rows;
  for (const ReportRow &row : llvm::ArrayRef(op.found).take_front(count)) {
    rows.push_back(row);
    std::string error;
    for (const Schedule &variant : variantsOf(
             *parseSchedule(row.schedule, error), problem, topology,
             line.tuning.local == LocalKernel::Generated, line.variants)) {
      int64_t bytes = memory.estimate(variant).peak();
      if (limit > 0 && bytes > limit)
        continue;
      ReportRow &made = rows.emplace_back(row);
      made.name.clear();
      made.isPareto = false;
      made.schedule = print(variant);
      made.words = describe(variant, problem.op, topology);
      made.memory = bytes;
    }
  }
  size_t all = rows.size();
  rows.insert(rows.end(), op.found.begin() + count, op.found.end());
  op.found = std::move(rows);
  return all;
}
