//===- Grid.cpp - Threads of a kernel -------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <algorithm>

using namespace mercury::simt;
using State = mercury_simt_thread::State;

std::string Triple::str() const {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
         std::to_string(z) + ")";
}

//===----------------------------------------------------------------------===//
// A thread
//===----------------------------------------------------------------------===//

/// A fiber runs thread after thread of this number.
static void runThreads(void *argument) {
  auto *thread = static_cast<mercury_simt_thread *>(argument);
  for (;;) {
    thread->grid->runThread(*thread);
    thread->wait(State::Ended, nullptr);
  }
}

mercury_simt_thread::mercury_simt_thread(int64_t number)
    : fiber(runThreads, this), number(number) {}

void mercury_simt_thread::wait(State at, const char *where) {
  state = at;
  op = where;
  fiber.yield();
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

Grid::Grid(const Launch &launch, Order order, int64_t sharedBytes,
           std::deque<mercury_simt_thread> &threads)
    : shared(sharedBytes), launch(launch), threads(threads),
      numThreads(launch.block.volume()), order(order), random(order.seed + 1),
      turns(numThreads) {}

void Grid::fail(const mercury_simt_thread *thread, std::string what,
                const char *op) {
  std::string text =
      std::string("kernel '") + launch.name + "', block " + block.str();
  if (thread)
    text += ", thread " + launch.block.unfold(thread->number).str();
  text += ": " + what;
  if (op)
    text += std::string(": ") + op;
  recordError(text);
  failed = true;
}

void Grid::runThread(mercury_simt_thread &thread) {
  Triple id = launch.block.unfold(thread.number);
  launch.body(&thread, launch.parameters, shared.data(), id.x, id.y, id.z,
              block.x, block.y, block.z);
}

void Grid::run() {
  std::vector<int64_t> blocks(launch.grid.volume());
  arrange(order, random, blocks);
  for (int64_t number : blocks) {
    block = launch.grid.unfold(number);
    runBlock();
    if (failed)
      break;
  }
  if (failed) // somewhere in the body
    for (int64_t i = 0; i < numThreads; ++i)
      at(i).fiber.restart();
}

void Grid::runBlock() {
  shared.poison();
  clock.blockStart = ++clock.now;
  for (int64_t i = 0; i < numThreads; ++i) {
    at(i).grid = this;
    at(i).state = State::Ready;
  }
  while (!failed) {
    if (runReady() || resolveShuffles())
      continue;
    if (failed)
      return;
    bool allEnded = true;
    for (int64_t i = 0; i < numThreads; ++i)
      allEnded &= at(i).state == State::Ended;
    if (allEnded)
      return;
    resolveBarrier();
  }
}

/// Runs each thread that can run until it cannot. Returns whether there was
/// one.
bool Grid::runReady() {
  bool ran = false;
  arrange(order, random, turns);
  for (int64_t i : turns) {
    if (at(i).state != State::Ready)
      continue;
    ran = true;
    at(i).fiber.resume();
    if (failed)
      break;
  }
  return ran;
}

/// No thread is ready. Lets go the warps that are at a shuffle.
bool Grid::resolveShuffles() {
  bool any = false;
  for (int64_t i = 0; i < numThreads && !failed; i += MERCURY_SIMT_WARP)
    any |= resolveWarp(i, std::min<int64_t>(i + MERCURY_SIMT_WARP, numThreads));
  return any;
}

bool Grid::resolveWarp(int64_t first, int64_t last) {
  mercury_simt_thread *leader = nullptr;
  for (int64_t i = first; i < last && !leader; ++i)
    if (at(i).state == State::Shuffle)
      leader = &at(i);
  if (!leader)
    return false;
  for (int64_t i = first; i < last; ++i) {
    mercury_simt_thread &thread = at(i);
    if (thread.state == State::Ended || thread.op == leader->op)
      continue;
    fail(&thread,
         "waits at another op than thread " +
             launch.block.unfold(leader->number).str() +
             " of its warp, which is at '" + leader->op + "'",
         thread.op);
    return false;
  }
  for (int64_t i = first; i < last; ++i) {
    mercury_simt_thread &thread = at(i);
    if (thread.state == State::Ended)
      continue;
    int64_t lane = i - first, from = lane;
    switch (thread.mode) {
    case MERCURY_SIMT_XOR:
      from = lane ^ thread.offset;
      break;
    case MERCURY_SIMT_DOWN:
      from = lane + thread.offset;
      break;
    case MERCURY_SIMT_UP:
      from = lane - thread.offset;
      break;
    case MERCURY_SIMT_INDEX:
      from = thread.offset;
      break;
    }
    bool isValid = from >= 0 && from < MERCURY_SIMT_WARP;
    if (!isValid)
      from = lane;
    if (first + from >= last || at(first + from).state == State::Ended) {
      fail(
          &thread,
          "takes the value of lane " + std::to_string(from) + " of its warp, " +
              (first + from >= last ? "which is not there" : "which has ended"),
          thread.op);
      return false;
    }
    thread.result = static_cast<int64_t>(isValid) << 32 |
                    static_cast<uint32_t>(at(first + from).value);
  }
  for (int64_t i = first; i < last; ++i)
    if (at(i).state != State::Ended)
      at(i).state = State::Ready;
  return true;
}

/// All threads wait at a barrier or have ended, not all the latter.
void Grid::resolveBarrier() {
  mercury_simt_thread *leader = nullptr;
  for (int64_t i = 0; i < numThreads && !leader; ++i)
    if (at(i).state == State::Barrier)
      leader = &at(i);
  for (int64_t i = 0; i < numThreads; ++i) {
    if (at(i).state == State::Barrier && at(i).op == leader->op)
      continue;
    std::string other = launch.block.unfold(i).str();
    return fail(leader,
                at(i).state == State::Ended
                    ? "waits at a barrier for thread " + other +
                          ", which has ended"
                    : "waits at another barrier than thread " + other +
                          ", which is at '" + at(i).op + "'",
                leader->op);
  }
  ++clock.now;
  for (int64_t i = 0; i < numThreads; ++i)
    at(i).state = State::Ready;
}
