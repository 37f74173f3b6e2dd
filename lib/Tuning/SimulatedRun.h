//===- SimulatedRun.h - A program on its way --------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_SIMULATEDRUN_H
#define MERCURY_LIB_TUNING_SIMULATEDRUN_H

#include "Mercury/Tuning/LinkDemands.h"
#include "Mercury/Tuning/SharedProgress.h"
#include "Mercury/Tuning/Simulator.h"

#include <deque>
#include <map>
#include <tuple>

namespace mercury {

/// Lets the streams of all ranks run until nothing moves.
class SimulatedRun {
public:
  /// The program is legal for the topology.
  SimulatedRun(const SimulatedProgram &program, const TopologyModel &topology);
  /// Fills in the timelines and the bytes of domains.
  Verdict run(Simulation &result);

private:
  /// So much of a stream has to be done.
  struct Position {
    unsigned stream;
    size_t count;
  };
  /// Work on a stream, or a wait.
  struct Node {
    const SimulatedItem *item;
    std::vector<Position> after;
  };
  struct Stream {
    std::vector<Node> nodes;
    size_t done = 0;
    bool isPosted = false; ///< of node `done`: the stream has come to it
    size_t pending = 0;    ///< and so many transfers are not at their end
    TimelineEntry entry;
  };
  struct Place {
    int64_t rank;
    unsigned stream;
  };
  /// A send or receive without its other half.
  struct Half {
    Place place;
    double bytes;
  };
  struct Channel {
    std::deque<Half> sends, receives;
  };
  /// Those who have come to a collective.
  struct Meeting {
    std::vector<Place> members;
  };

  void build(int64_t rank);
  Stream &at(Place place) { return ranks[place.rank][place.stream]; }
  const SimulatedItem &itemAt(Place place) {
    Stream &stream = at(place);
    return *stream.nodes[stream.done].item;
  }
  bool isFree(int64_t rank, const Node &node) const;
  /// Posts what the streams of the rank can; true when something moved.
  Verdict post(int64_t rank);
  Verdict post(Place place);
  Verdict join(Place place);
  Verdict exchange(Place place);
  void begin(Demand demand, std::vector<Place> places);
  void finish(Place place);
  std::vector<int64_t> groupOf(Place place) const;
  Verdict explain();
  /// The ranks that the posted communication waits for.
  std::vector<int64_t> missing(Place place);

  const SimulatedProgram &program;
  const TopologyModel &topology;
  LinkDemands links;
  SharedProgress progress;
  double now = 0;
  std::vector<std::vector<Stream>> ranks;
  /// By communicator, sender and receiver.
  std::map<std::tuple<unsigned, int64_t, int64_t>, Channel> channels;
  /// By communicator and first rank of the group.
  std::map<std::pair<unsigned, int64_t>, Meeting> meetings;
  std::vector<std::vector<Place>> owners; ///< by activity
  std::vector<int64_t> moved;             ///< ranks that may go on
  std::vector<double> domainBytes;
  Simulation *result = nullptr;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_SIMULATEDRUN_H
