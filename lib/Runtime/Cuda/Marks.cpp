//===- Marks.cpp - What is under way on streams ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Marks.h"

#include "Communicator.h"

using namespace mercury::cuda;
using mercury::host::format;
using mercury::host::Kind;

/// Marks on one stream, at most: a program is enqueued far ahead of the device.
static constexpr size_t kMaxMarks = 256;

EventPool::~EventPool() {
  for (CUevent event : all)
    driver().cuEventDestroy_v2(event);
}

CUevent EventPool::take(CUresult &result) {
  std::lock_guard<std::mutex> lock(mutex);
  result = CUDA_SUCCESS;
  CUevent event = nullptr;
  if (!free.empty()) {
    event = free.back();
    free.pop_back();
    return event;
  }
  result = driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  if (result != CUDA_SUCCESS)
    return nullptr;
  all.push_back(event);
  return event;
}

void EventPool::give(CUevent event) {
  std::lock_guard<std::mutex> lock(mutex);
  if (event)
    free.push_back(event);
}

std::string Label::describe() const {
  if (!team)
    return "kernels";
  std::string text = format("%s of %zu bytes", host::nameOf(kind), bytes);
  if (kind == Kind::Send || kind == Kind::Recv)
    text += (kind == Kind::Send ? " to " : " from ") + team->describeRank(peer);
  text += " on " + team->describe();
  if (more > 0)
    text += format(" and %d more", more);
  return text;
}

void Marks::add(CUstream stream, Label label, const char *what) {
  std::lock_guard<std::mutex> lock(mutex);
  std::deque<Mark> &marks = streams[stream];
  if (marks.size() >= kMaxMarks)
    return;
  CUresult result;
  CUevent event = pool.take(result);
  if (!event)
    return;
  if (driver().cuEventRecord(event, stream) != CUDA_SUCCESS) {
    pool.give(event);
    return;
  }
  marks.push_back({event, std::move(label), what});
  unnamed |= !what;
}

void Marks::name(const char *what) {
  std::lock_guard<std::mutex> lock(mutex);
  last = what;
  if (!unnamed)
    return;
  unnamed = false;
  for (auto &[stream, marks] : streams)
    for (auto mark = marks.rbegin(); mark != marks.rend() && !mark->what;
         ++mark)
      mark->what = what;
}

std::string Marks::lastName() const {
  std::lock_guard<std::mutex> lock(mutex);
  return last ? last : "";
}

bool Marks::poll() {
  std::lock_guard<std::mutex> lock(mutex);
  bool moved = false;
  for (auto &[stream, marks] : streams)
    while (!marks.empty() &&
           driver().cuEventQuery(marks.front().event) == CUDA_SUCCESS) {
      pool.give(marks.front().event);
      marks.pop_front();
      moved = true;
    }
  return moved;
}

std::vector<std::pair<Label, std::string>> Marks::pending() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::pair<Label, std::string>> result;
  for (const auto &[stream, marks] : streams)
    if (!marks.empty()) {
      const char *what = marks.front().what;
      result.push_back({marks.front().label, what ? what : ""});
    }
  return result;
}
