//===- Races.cpp - Who touched a byte last --------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Races.h"

using namespace mercury::simt;

bool mercury::simt::noteAccess(Touch &touch, int64_t thread, bool writes,
                               const Clock &clock, bool outlivesBlocks,
                               Race &race) {
  auto id = static_cast<uint16_t>(thread);
  auto isOfOtherBlock = [&](uint32_t time) {
    return outlivesBlocks && time && time < clock.blockStart;
  };
  if (isOfOtherBlock(touch.written) ||
      (touch.written == clock.now && touch.writer != id)) {
    race = {touch.writer, /*otherWrote=*/true, touch.written != clock.now};
    return false;
  }
  bool isRead = touch.read == clock.now;
  if (isOfOtherBlock(touch.read))
    touch.wasReadByOtherBlock = true;
  if (!writes) {
    touch.otherReader = id;
    if (!isRead) {
      touch.read = clock.now;
      touch.reader = id;
    }
    return true;
  }
  if (outlivesBlocks && touch.wasReadByOtherBlock) {
    race = {touch.reader, /*otherWrote=*/false, /*ofOtherBlock=*/true};
    return false;
  }
  if (isRead && (touch.reader != id || touch.otherReader != id)) {
    race = {touch.reader != id ? touch.reader : touch.otherReader,
            /*otherWrote=*/false, /*ofOtherBlock=*/false};
    return false;
  }
  touch.written = clock.now;
  touch.writer = id;
  return true;
}

bool GlobalTouches::note(int64_t address, int64_t count, int64_t thread,
                         bool writes, const Clock &clock, Race &race) {
  int64_t end = address + count;
  while (address < end) {
    std::unique_ptr<Chunk> &chunk = chunks[address / kChunkBytes];
    if (!chunk)
      chunk = std::make_unique<Chunk>();
    do {
      if (!noteAccess((*chunk)[address % kChunkBytes], thread, writes, clock,
                      /*outlivesBlocks=*/true, race))
        return false;
    } while (++address < end && address % kChunkBytes);
  }
  return true;
}
