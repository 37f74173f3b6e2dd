//===- SearchLeaves.h - Bounds of nodes, costs of leaves -----------*- C++
//-*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_SEARCHLEAVES_H
#define MERCURY_LIB_TUNING_SEARCHLEAVES_H

#include "CandidateCost.h"
#include "FoundSchedules.h"
#include "SearchPlacements.h"
#include "SearchTree.h"

#include <chrono>
#include <memory>
#include <set>

namespace mercury {

/// What nodes of a search have at least, and the schedules of whole ones.
class SearchLeaves {
public:
  SearchLeaves(CostModel &cost, const MemoryModel &memory,
               const TopologyModel &topology, const SearchOptions &options,
               SearchTree &tree, FoundSchedules &found, SearchResult &result);

  /// The schedule that uses no axis, and those that are known. Where there are
  /// several cuts, axes may be given out in several ways.
  void start(bool hasSeveralCuts);
  void enter(const AxisList &cut);
  void setBounds(Node &node);
  /// Looks at all schedules of a whole node.
  void visit(const Node &node);
  /// The budget ended while a node was looked at, of which the rest is left.
  /// What has been looked at comes again.
  void forget() { seen.clear(); }
  bool isCut() const { return wasCut; }

private:
  /// A machine on which seconds are taken.
  struct Machine {
    Machine(CostModel &cost, const MemoryModel &memory,
            const SearchOptions &options)
        : cost(cost), fast(cost.problem(), cost.links()),
          bound(cost, memory, options) {}
    CostModel &cost;
    CandidateCost fast;
    SearchBound bound;
  };

  void visitCandidate(const Division &division, Candidate &candidate);
  std::vector<int64_t> bytesOfKernels() const;
  void visitOrdered(const Division &division, const Candidate &candidate,
                    bool isBalanced);
  /// False: tokens keep their natural order.
  bool tryBalance(Schedule &schedule) const;
  template <typename Seconds, typename Visit>
  void forEachKernel(Seconds secondsOf, Visit visit);
  void offer(const Division &division, const Candidate &candidate,
             int64_t chunks, const std::string &kernel, bool isBalanced);
  void offerAll(const Division &division, const Candidate &candidate);
  void offerKernels(Schedule schedule);
  void add(const Schedule &schedule);
  /// The most that `secondsOf(machine)` is on the objective's machines;
  /// `usual` is what it is on the machine as it is.
  template <typename Seconds> double worst(double usual, Seconds secondsOf);

  const MemoryModel &memory;
  const TopologyModel &topology;
  SearchPlacements placements;
  const SearchOptions &options;
  const OperatorModel &op;
  SearchTree &tree;
  FoundSchedules &found;
  SearchResult &result;
  Goal goal;
  /// The machine as it is, then those of the objective where they differ.
  std::vector<std::unique_ptr<Machine>> machines;
  std::unique_ptr<PartialCandidate> part;
  const std::vector<const Choice *> *picked = nullptr;
  std::vector<double> exits; ///< of each machine, seconds
  std::vector<int64_t> kernelBytes;
  std::vector<double> kernelSeconds; ///< of the candidate that is visited
  const Node *visited = nullptr;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  uint64_t orders = 0;
  bool wasCut = false;
  /// Axes may be cut in several ways: what has been looked at.
  std::set<std::string> seen;
  bool hasSeveralCuts = false;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_SEARCHLEAVES_H
