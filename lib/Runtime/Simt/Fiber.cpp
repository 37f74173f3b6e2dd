//===- Fiber.cpp - A function that can stop midway ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <new>
#include <sys/mman.h>

using namespace mercury::simt;

/// Device code has no recursion and keeps little beside registers.
static constexpr size_t kStackBytes = 128 * 1024;
/// A multiple of every page size.
static constexpr size_t kGuardBytes = 64 * 1024;

Fiber::Fiber(Entry entry, void *argument) : entry(entry), argument(argument) {
  void *made = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    throw std::bad_alloc();
  memory = static_cast<char *>(made);
  mprotect(memory, kGuardBytes, PROT_NONE);
}

Fiber::~Fiber() { munmap(memory, kGuardBytes + kStackBytes); }

bool Fiber::owns(int64_t address) const {
  int64_t at = address - reinterpret_cast<int64_t>(memory);
  return at >= 0 && at < static_cast<int64_t>(kGuardBytes + kStackBytes);
}

void Fiber::enter(unsigned low, unsigned high) {
  auto *fiber = reinterpret_cast<Fiber *>(static_cast<uintptr_t>(high) << 32 |
                                          static_cast<uintptr_t>(low));
  fiber->entry(fiber->argument);
}

[[gnu::noinline]] void Fiber::resume() {
  if (sigsetjmp(caller, 0))
    return;
  if (started)
    siglongjmp(self, 1);
  started = true;
  getcontext(&context);
  context.uc_stack.ss_sp = memory + kGuardBytes;
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  // makecontext passes ints.
  auto address = reinterpret_cast<uintptr_t>(this);
  makecontext(&context, reinterpret_cast<void (*)()>(enter), 2,
              static_cast<unsigned>(address),
              static_cast<unsigned>(address >> 32));
  setcontext(&context);
}

[[gnu::noinline]] void Fiber::yield() {
  if (!sigsetjmp(self, 0))
    siglongjmp(caller, 1);
}
