//===- Processes.cpp - The processes of an MPI job ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfer.h"

#include <algorithm>
#include <cstring>
#include <sched.h>
#include <sstream>
#include <thread>

using namespace mercury::host;

/// The tag of notices; they have a communicator of their own.
static constexpr int kNoticeTag = 0;

Notice::Notice(About about, const Failure &failure)
    : Notice(about, failure.what + '\n' + failure.text) {
  head.result = failure.result;
  head.values[0] = failure.rank;
}

Failure Notice::failure() const {
  Failure failure;
  failure.rank = head.values[0];
  failure.result = head.result;
  size_t end = std::min(text.find('\n'), text.size());
  failure.what = text.substr(0, end);
  failure.text = text.substr(std::min(end + 1, text.size()));
  return failure;
}

Processes &Processes::get() {
  static Processes *instance = new Processes();
  return *instance;
}

std::string Processes::join() {
  if (joined)
    return "";
  int initialized = 0;
  if (MPI_Initialized(&initialized) != MPI_SUCCESS)
    return "MPI does not work";
  if (!initialized) {
    int provided;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) !=
        MPI_SUCCESS)
      return "MPI cannot be initialized";
    owned = true;
    // Errors of requests belong to no communicator.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &control);
  MPI_Comm_set_errhandler(control, MPI_ERRORS_RETURN);

  void *largest = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
  int64_t bound = found ? *static_cast<int *>(largest) : 32767;
  int bits = 0;
  while ((int64_t(1) << (bits + 1)) - 1 <= bound)
    ++bits;
  // One bit tells collectives from sends and receives.
  teamBits = std::min(12, (bits - 1) / 2);
  sequenceBits = bits - 1 - teamBits;

  MPI_Comm machine;
  int neighbours = size;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                      &machine);
  MPI_Comm_size(machine, &neighbours);
  MPI_Comm_free(&machine);
  maySpin = neighbours <= static_cast<int>(std::thread::hardware_concurrency());

  finished.assign(size, false);
  finished[rank] = true;
  exits.assign(size, Failure());
  joined = true;
  return "";
}

int Processes::tag(const Team &team, bool collective, uint64_t sequence) const {
  uint64_t low = sequence & ((uint64_t(1) << sequenceBits) - 1);
  uint64_t high = static_cast<uint64_t>(team.number) << 1 | collective;
  return static_cast<int>(high << sequenceBits | low);
}

//===----------------------------------------------------------------------===//
// Notices
//===----------------------------------------------------------------------===//

void Processes::send(int to, const Notice &notice) {
  Notice::Head head = notice.head;
  head.launch = launch;
  Outgoing out;
  size_t bytes = sizeof(head) + notice.text.size();
  out.bytes.reset(new char[bytes]);
  std::memcpy(out.bytes.get(), &head, sizeof(head));
  std::memcpy(out.bytes.get() + sizeof(head), notice.text.data(),
              notice.text.size());
  // Synchronous: one that is complete has been received, whatever comes next.
  if (MPI_Issend(out.bytes.get(), static_cast<int>(bytes), MPI_BYTE, to,
                 kNoticeTag, control, &out.request) == MPI_SUCCESS)
    outgoing.push_back(std::move(out));
}

void Processes::sendToOthers(const Notice &notice) {
  for (int i = 1; i < size; ++i)
    send((rank + i) % size, notice);
}

void Processes::receive() {
  while (true) {
    int found = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, kNoticeTag, control, &found, &status) !=
            MPI_SUCCESS ||
        !found)
      return;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::string content(bytes, '\0');
    Notice notice;
    notice.from = status.MPI_SOURCE;
    if (MPI_Recv(content.data(), bytes, MPI_BYTE, status.MPI_SOURCE, kNoticeTag,
                 control, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
        content.size() < sizeof(notice.head))
      return;
    std::memcpy(&notice.head, content.data(), sizeof(notice.head));
    notice.text = content.substr(sizeof(notice.head));
    if (notice.head.launch > launch && notice.head.about != About::Finished)
      early.push_back(std::move(notice));
    else
      handle(std::move(notice));
  }
}

void Processes::handle(Notice notice) {
  int from = notice.from;
  switch (notice.head.about) {
  case About::Finished:
    finished[from] = true;
    exits[from] = notice.failure();
    return;
  case About::Joins:
    return handleJoin(notice);
  default:
    break;
  }
  if (notice.head.launch != launch || !domain)
    return;
  // Notices are handled between operations; who reads what they change holds
  // the same thread.
  Domain::Lock lock(domain->mutex);
  switch (notice.head.about) {
  case About::Arrived:
    arrived[from] = true;
    return;
  case About::Barrier:
    ++barriers[from];
    domain->inBarrier[from] = true;
    return domain->progress();
  case About::Failed:
    return domain->fail(notice.failure(), /*heard=*/true);
  case About::Quiet:
    quiet[from] = true;
    return;
  case About::Returned:
    returned[from] = true;
    returning.push_back(from);
    if (notice.head.result != ncclSuccess)
      domain->noteError(notice.failure());
    return;
  case About::Closed:
    closed[from] = true;
    errors[from] = notice.failure();
    return;
  case About::Waits:
    return handleWaits(notice);
  case About::Moves:
    waiting.clear();
    return domain->progress();
  case About::Joined:
    answers[notice.head.values[0]] = std::move(notice);
    return;
  case About::Finished:
  case About::Joins:
    return;
  }
}

void Processes::handleJoin(const Notice &notice) {
  auto [id, size, teamRank, team] = notice.head.values;
  Gathering &gathering = gatherings[id];
  Notice answer(About::Joined);
  answer.head.values[0] = id;
  if (gathering.ranks.empty()) {
    gathering.ranks.assign(size, -1);
    gathering.missing = static_cast<int>(size);
  }
  std::string problem;
  if (static_cast<int64_t>(gathering.ranks.size()) != size)
    problem = format("rank %d asks for a communicator of size %d, another rank "
                     "asked for size %zu with the same id",
                     static_cast<int>(teamRank), static_cast<int>(size),
                     gathering.ranks.size());
  else if (gathering.ranks[teamRank] >= 0)
    problem = format("rank %d has joined the communicator twice",
                     static_cast<int>(teamRank));
  if (!problem.empty()) {
    answer.head.result = ncclInvalidArgument;
    answer.text = problem;
    return send(notice.from, answer);
  }
  gathering.ranks[teamRank] = notice.from;
  gathering.team = std::max(gathering.team, team);
  if (--gathering.missing > 0)
    return;
  answer.head.values[1] = gathering.team;
  answer.text.assign(reinterpret_cast<const char *>(gathering.ranks.data()),
                     gathering.ranks.size() * sizeof(int64_t));
  for (int64_t member : gathering.ranks)
    send(static_cast<int>(member), answer);
  gatherings.erase(id);
}

/// A state as text: whom it waits for, how many are queued, the first of these,
/// and a line for each wait.
static std::string print(const RankState &state) {
  std::string text;
  for (int64_t other : state.waitsFor)
    text += std::to_string(other) + ' ';
  text += '\n' + std::to_string(state.queued) + '\n' + state.firstQueued;
  for (const std::string &wait : state.waits)
    text += '\n' + wait;
  return text;
}

static RankState parse(const std::string &text) {
  std::istringstream lines(text);
  std::string line;
  RankState state;
  std::getline(lines, line);
  std::istringstream others(line);
  for (int64_t other; others >> other;)
    state.waitsFor.insert(other);
  std::getline(lines, line);
  state.queued = std::atoi(line.c_str());
  std::getline(lines, state.firstQueued);
  while (std::getline(lines, line))
    state.waits.push_back(line);
  return state;
}

bool Processes::hasToldWaits() const {
  return secondsSince(toldAt) <= domain->idleSeconds();
}

RankState Processes::state() const {
  RankState state = domain->states()[rank];
  if (!waitsIn.empty())
    state.waits.push_back("waits in " + waitsIn);
  return state;
}

double Processes::tellWaits() {
  if (!hasToldWaits()) {
    sendToOthers(Notice(About::Waits, print(state())));
    toldAt = Clock::now();
  }
  return secondsSince(toldAt);
}

void Processes::handleWaits(const Notice &notice) {
  waiting[notice.from] = parse(notice.text);
  if (domain->idleSeconds() * 2 < domain->settings.watchdogSeconds)
    send(notice.from, Notice(About::Moves));
  else
    tellWaits();
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

void Processes::keep(MPI_Request request, std::unique_ptr<char[]> bytes,
                     std::list<Undelivered>::iterator undelivered) {
  outgoing.push_back({request, std::move(bytes), true, undelivered});
}

void Processes::drain() {
  for (Batch *batch : domain->batches)
    for (Portion &portion : batch->portions)
      for (Operation &operation : portion.operations)
        if (operation.transfer && !drained)
          operation.transfer->endReceives();
  drained = true;
  std::vector<char> bytes;
  while (true) {
    int found = 0, count = 0;
    MPI_Message message;
    MPI_Status status;
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, messages, &found, &message,
                    &status) != MPI_SUCCESS ||
        !found)
      return;
    MPI_Get_count(&status, MPI_BYTE, &count);
    bytes.resize(count);
    MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  }
}

bool Processes::isSending() const {
  return std::any_of(outgoing.begin(), outgoing.end(),
                     [](const Outgoing &out) { return out.isMessage; });
}

void Processes::poll() {
  pollNotices();
  workStreams();
}

void Processes::pollNotices() {
  receive();
  if (domain && domain->hasFailed()) {
    Domain::Lock lock(domain->mutex);
    drain();
  }
  for (auto it = outgoing.begin(); it != outgoing.end();) {
    int done = 0;
    if (MPI_Test(&it->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      done = 1;
    if (!done) {
      ++it;
      continue;
    }
    if (it->isMessage && domain) {
      Domain::Lock lock(domain->mutex);
      domain->undelivered.erase(it->undelivered);
    }
    it = outgoing.erase(it);
  }
}

void Processes::rest(double idleSeconds) const {
  if (maySpin && idleSeconds < 1e-3)
    return spinPause();
  if (idleSeconds < 5e-3) {
    sched_yield();
    return;
  }
  double seconds = idleSeconds < 1 ? 50e-6 : 500e-6;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

void Processes::waitForAll(const std::vector<bool> &said) {
  TimePoint start = Clock::now();
  while (std::find(said.begin(), said.end(), false) != said.end()) {
    poll();
    rest(secondsSince(start));
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

std::string Processes::open(Domain &newDomain, int64_t numCommunicators) {
  ++launch;
  arrived.assign(size, false);
  arrived[rank] = true;
  returned = closed = arrived;
  quiet = arrived;
  drained = false;
  barriers.assign(size, 0);
  returning.clear();
  waiting.clear();
  answers.clear();
  toldAt = TimePoint();
  errors.assign(size, Failure());
  nextTeam = numCommunicators + 1;
  domain = &newDomain;
  std::vector<Notice> known;
  known.swap(early);
  for (Notice &notice : known)
    if (notice.head.launch > launch)
      early.push_back(std::move(notice));
    else
      handle(std::move(notice));

  sendToOthers(Notice(About::Arrived));
  TimePoint start = Clock::now();
  for (int other = 0; other < size; ++other)
    while (!arrived[other]) {
      if (finished[other]) {
        domain = nullptr;
        std::string reason = exits[other].text;
        return format("rank %d has ended%s%s", other,
                      reason.empty() ? "" : ": ", reason.c_str());
      }
      poll();
      rest(secondsSince(start));
    }
  // A communicator for each launch: nothing that is left of the one before can
  // be received in it.
  MPI_Comm_dup(MPI_COMM_WORLD, &messages);
  MPI_Comm_set_errhandler(messages, MPI_ERRORS_RETURN);
  return "";
}

Failure Processes::close() {
  waitForAll(returned);
  {
    Domain::Lock lock(domain->mutex);
    // The acknowledgement of a message that was received may be under way.
    TimePoint start = Clock::now();
    while (domain->getRoot().result == ncclSuccess &&
           !domain->undelivered.empty() && secondsSince(start) < 0.2) {
      lock.unlock();
      poll();
      lock.lock();
    }
    if (domain->getRoot().result == ncclSuccess && !domain->undelivered.empty())
      domain->noteError(lostMessage(domain->undelivered.front()));
    errors[rank] = domain->getRoot();
  }
  sendToOthers(Notice(About::Closed, errors[rank]));
  waitForAll(closed);
  auto first =
      std::find_if(errors.begin(), errors.end(), [](const Failure &error) {
        return error.result != ncclSuccess;
      });
  Failure root = first == errors.end() ? Failure() : *first;
  if (root.result != ncclSuccess) {
    // Nothing may be left in the communicator, nor in buffers that end now.
    while (isSending()) {
      poll();
      drain();
    }
    sendToOthers(Notice(About::Quiet));
    while (std::find(quiet.begin(), quiet.end(), false) != quiet.end()) {
      poll();
      drain();
    }
    drain();
  }
  domain = nullptr;
  MPI_Comm_free(&messages);
  return root;
}

Failure Processes::finish(Failure own) {
  if (!joined)
    return own;
  own.rank = rank;
  exits[rank] = own;
  sendToOthers(Notice(About::Finished, own));
  waitForAll(finished);
  // They leave when they have heard from all.
  while (!outgoing.empty())
    poll();
  Failure all;
  for (const Failure &exit : exits)
    if (exit.result != 0 && (all.result == 0 || exit.result < all.result))
      all = exit;
  if (owned) {
    MPI_Comm_free(&control);
    MPI_Finalize();
  }
  return all;
}
