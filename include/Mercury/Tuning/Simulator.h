//===- Simulator.h - Ranks on a machine, event by event ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays what every rank of a program enqueues on its streams: each stream does
// its work in order, events tie the streams of a rank, communication begins
// when all who take part have come to it, and links are shared. The host of a
// rank runs ahead and takes no time.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_SIMULATOR_H
#define MERCURY_TUNING_SIMULATOR_H

#include "Mercury/Tuning/Report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mercury {

/// One thing that the host of a rank does.
struct SimulatedItem {
  enum class Kind {
    Compute,    ///< a kernel on stream 0
    Collective, ///< with all ranks of the stream's communicator
    Transfers,  ///< a group of sends and receives on the communicator
    Record,     ///< `event` happens when the stream comes here
    Wait,       ///< the stream waits for the last record of `event`
    HostWait    ///< the host waits until the stream has come here
  };
  struct Transfer {
    bool isSend = false;
    int64_t peer = 0; ///< a rank of the topology
    double bytes = 0;
  };
  Kind kind = Kind::Compute;
  unsigned stream = 0; ///< 0 computes, 1 + c belongs to communicator c
  unsigned name = 0;   ///< index into SimulatedProgram::names
  double seconds = 0;  ///< of a kernel that nothing disturbs, launch included
  Primitive primitive = Primitive::AllGather; ///< of a collective
  double bytes = 0; ///< of a collective, as Level::curves counts them
  int64_t event = 0;
  std::vector<Transfer> transfers;
};

/// What all ranks do, in the order of their hosts.
struct SimulatedProgram {
  std::vector<AxisList> communicators;
  std::vector<std::string> names;
  std::vector<std::vector<SimulatedItem>> ranks;

  unsigned nameOf(const std::string &name); ///< adds it where it is new
  std::string describeStream(unsigned stream) const;
};

/// A piece of work, as it was done; seconds from the start of the program.
struct TimelineEntry {
  unsigned name = 0;
  double begin = 0; ///< the stream has come to it
  double start = 0; ///< all others have, too: it moves on
  double end = 0;
};

struct Simulation {
  double seconds = 0;
  /// Per rank and stream, in order.
  std::vector<std::vector<std::vector<TimelineEntry>>> timelines;
  struct Rank {
    double end = 0;           ///< of the last work on a stream
    double compute = 0;       ///< stream 0 works
    double communication = 0; ///< some other stream does, waiting left out
    double exposed = 0;       ///< the part of it in which stream 0 does not
    double waiting = 0;       ///< communication waits for other ranks
  };
  std::vector<Rank> ranks;
  struct Domain {
    std::string name;
    double bytes = 0; ///< sent by all ranks together
  };
  std::vector<Domain> domains; ///< outermost level first
};

/// Plays the program on a topology whose ranks it has. What cannot come to an
/// end is an error that names who waits for whom; so is communication that does
/// not fit together. Deterministic.
Verdict simulate(const SimulatedProgram &program, const TopologyModel &topology,
                 Simulation &result);

/// The work of all streams, and where it waits for other ranks, for reports and
/// traces.
std::vector<ReportSpan> spansOf(const SimulatedProgram &program,
                                const Simulation &simulation);

} // namespace mercury

#endif // MERCURY_TUNING_SIMULATOR_H
