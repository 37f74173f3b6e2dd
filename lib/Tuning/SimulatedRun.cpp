//===- SimulatedRun.cpp - A program on its way ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatedRun.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mercury;
using Kind = SimulatedItem::Kind;

SimulatedRun::SimulatedRun(const SimulatedProgram &program,
                           const TopologyModel &topology)
    : program(program), topology(topology), links(topology),
      progress(topology.device.communicationShare),
      ranks(program.ranks.size()) {
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    build(rank);
}

/// Hosts run ahead: what each enqueues, and after what, is known before.
void SimulatedRun::build(int64_t rank) {
  std::vector<Stream> &streams = ranks[rank];
  streams.resize(program.communicators.size() + 1);
  std::map<int64_t, Position> events;
  std::vector<Position> hostWaits;
  std::vector<size_t> waited(streams.size());
  for (const SimulatedItem &item : program.ranks[rank]) {
    std::vector<Node> &nodes = streams[item.stream].nodes;
    if (item.kind == Kind::Record) {
      events[item.event] = {item.stream, nodes.size()};
      continue;
    }
    if (item.kind == Kind::HostWait) {
      hostWaits.push_back({item.stream, nodes.size()});
      continue;
    }
    Node node{&item, {}};
    for (size_t &next = waited[item.stream]; next < hostWaits.size(); ++next)
      node.after.push_back(hostWaits[next]);
    // An event that was never recorded has happened.
    if (item.kind == Kind::Wait)
      if (auto event = events.find(item.event); event != events.end())
        node.after.push_back(event->second);
    nodes.push_back(std::move(node));
  }
}

bool SimulatedRun::isFree(int64_t rank, const Node &node) const {
  return std::all_of(
      node.after.begin(), node.after.end(), [&](const Position &position) {
        return ranks[rank][position.stream].done >= position.count;
      });
}

Verdict SimulatedRun::post(int64_t rank) {
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (unsigned s = 0; s < ranks[rank].size(); ++s) {
      Stream &stream = ranks[rank][s];
      if (stream.isPosted || stream.done == stream.nodes.size() ||
          !isFree(rank, stream.nodes[stream.done]))
        continue;
      goesOn = true;
      if (Verdict verdict = post(Place{rank, s}); !verdict)
        return verdict;
    }
  }
  return Verdict::ok();
}

Verdict SimulatedRun::post(Place place) {
  const SimulatedItem &item = itemAt(place);
  Stream &stream = at(place);
  stream.isPosted = true;
  stream.entry = {item.name, now, now, now};
  stream.pending = 1;
  switch (item.kind) {
  case Kind::Compute: {
    Demand demand;
    demand.isCompute = true;
    demand.devices = {place.rank};
    demand.busy = item.seconds;
    begin(std::move(demand), {place});
    break;
  }
  case Kind::Collective:
    return join(place);
  case Kind::Transfers:
    stream.pending = item.transfers.size();
    if (!item.transfers.empty())
      return exchange(place);
    finish(place);
    break;
  case Kind::Wait:
  case Kind::Record:
  case Kind::HostWait:
    finish(place);
    break;
  }
  return Verdict::ok();
}

std::vector<int64_t> SimulatedRun::groupOf(Place place) const {
  return topology.group(place.rank, program.communicators[place.stream - 1]);
}

static std::string describe(const SimulatedItem &item) {
  return std::string(stringify(item.primitive)) + " of " +
         std::to_string(static_cast<int64_t>(std::llround(item.bytes))) +
         " bytes";
}

Verdict SimulatedRun::join(Place place) {
  std::vector<int64_t> group = groupOf(place);
  Meeting &meeting = meetings[{place.stream - 1, group.front()}];
  const SimulatedItem &item = itemAt(place);
  if (!meeting.members.empty()) {
    Place first = meeting.members.front();
    if (describe(itemAt(first)) != describe(item))
      return Verdict::no(
          "the group disagrees: rank " + std::to_string(first.rank) +
          " issues " + describe(itemAt(first)) + ", rank " +
          std::to_string(place.rank) + " issues " + describe(item));
  }
  meeting.members.push_back(place);
  if (meeting.members.size() < group.size())
    return Verdict::ok();
  links.addCollective(item.primitive, group, item.bytes, domainBytes);
  std::vector<Place> members = std::move(meeting.members);
  meeting.members.clear();
  begin(links.collective(item.primitive, group, item.bytes),
        std::move(members));
  return Verdict::ok();
}

Verdict SimulatedRun::exchange(Place place) {
  for (const SimulatedItem::Transfer &transfer : itemAt(place).transfers) {
    int64_t from = transfer.isSend ? place.rank : transfer.peer;
    int64_t to = transfer.isSend ? transfer.peer : place.rank;
    Channel &channel = channels[{place.stream - 1, from, to}];
    auto &mine = transfer.isSend ? channel.sends : channel.receives;
    auto &theirs = transfer.isSend ? channel.receives : channel.sends;
    if (theirs.empty()) {
      mine.push_back({place, transfer.bytes});
      continue;
    }
    Half other = theirs.front();
    theirs.pop_front();
    double sent = transfer.isSend ? transfer.bytes : other.bytes;
    double expected = transfer.isSend ? other.bytes : transfer.bytes;
    if (sent != expected)
      return Verdict::no("rank " + std::to_string(from) + " sends " +
                         std::to_string(std::llround(sent)) +
                         " bytes to rank " + std::to_string(to) +
                         ", which expects " +
                         std::to_string(std::llround(expected)));
    links.addMessage(from, to, sent, domainBytes);
    begin(links.message(from, to, sent), {place, other.place});
  }
  return Verdict::ok();
}

void SimulatedRun::begin(Demand demand, std::vector<Place> places) {
  for (Place place : places)
    at(place).entry.start = now;
  progress.start(now, std::move(demand));
  owners.push_back(std::move(places));
}

void SimulatedRun::finish(Place place) {
  Stream &stream = at(place);
  const SimulatedItem &item = itemAt(place);
  if (item.kind != Kind::Wait) {
    stream.entry.end = now;
    result->timelines[place.rank][place.stream].push_back(stream.entry);
    result->seconds = std::max(result->seconds, now);
  }
  ++stream.done;
  stream.isPosted = false;
  moved.push_back(place.rank);
}

Verdict SimulatedRun::run(Simulation &simulation) {
  result = &simulation;
  simulation.timelines.assign(ranks.size(),
                              std::vector<std::vector<TimelineEntry>>(
                                  program.communicators.size() + 1));
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    moved.push_back(rank);
  std::vector<SharedProgress::Id> ended;
  while (true) {
    // In order of ranks, whatever ended first.
    std::sort(moved.begin(), moved.end());
    moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
    for (int64_t rank : std::vector<int64_t>(moved))
      if (Verdict verdict = post(rank); !verdict)
        return verdict;
    moved.clear();
    if (progress.isEmpty())
      break;
    now = progress.advance(std::numeric_limits<double>::infinity(), ended);
    for (SharedProgress::Id id : ended)
      for (Place place : owners[id])
        if (--at(place).pending == 0)
          finish(place);
  }
  for (size_t d = 0; d < links.domains().size(); ++d)
    simulation.domains.push_back(
        {links.domains()[d], d < domainBytes.size() ? domainBytes[d] : 0});
  return explain();
}

std::vector<int64_t> SimulatedRun::missing(Place place) {
  std::vector<int64_t> ranksMissing;
  const SimulatedItem &item = itemAt(place);
  if (item.kind == Kind::Collective) {
    for (int64_t rank : groupOf(place)) {
      const Meeting &meeting =
          meetings[{place.stream - 1, groupOf(place).front()}];
      if (std::none_of(meeting.members.begin(), meeting.members.end(),
                       [&](Place member) { return member.rank == rank; }))
        ranksMissing.push_back(rank);
    }
    return ranksMissing;
  }
  for (const SimulatedItem::Transfer &transfer : item.transfers) {
    int64_t from = transfer.isSend ? place.rank : transfer.peer;
    int64_t to = transfer.isSend ? transfer.peer : place.rank;
    const Channel &channel = channels[{place.stream - 1, from, to}];
    if (!(transfer.isSend ? channel.sends : channel.receives).empty())
      ranksMissing.push_back(transfer.peer);
  }
  return ranksMissing;
}

/// Follows from one rank that waits to the next, until one comes again or has
/// come to its end.
Verdict SimulatedRun::explain() {
  auto findPosted = [&](int64_t rank) -> std::optional<Place> {
    for (unsigned s = 0; s < ranks[rank].size(); ++s)
      if (ranks[rank][s].isPosted)
        return Place{rank, s};
    return std::nullopt;
  };
  std::optional<Place> place;
  for (size_t rank = 0; rank < ranks.size() && !place; ++rank)
    place = findPosted(rank);
  if (!place)
    return Verdict::ok();
  std::string text = "ranks wait for each other: ";
  std::vector<int64_t> seen;
  while (place) {
    std::vector<int64_t> others = missing(*place);
    seen.push_back(place->rank);
    text += (seen.size() > 1 ? "; rank " : "rank ") +
            std::to_string(place->rank) + " waits in " +
            program.names[itemAt(*place).name] + " on " +
            program.describeStream(place->stream) + " for rank " +
            std::to_string(others.front());
    if (std::find(seen.begin(), seen.end(), others.front()) != seen.end())
      break;
    place = findPosted(others.front());
    if (!place)
      text += ", which has come to its end";
  }
  return Verdict::no(text);
}
