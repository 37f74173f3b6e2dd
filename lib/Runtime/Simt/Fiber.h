//===- Fiber.h - A function that can stop midway ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_SIMT_FIBER_H
#define MERCURY_LIB_RUNTIME_SIMT_FIBER_H

#include <csetjmp>
#include <cstdint>
#include <ucontext.h>

namespace mercury::simt {

/// Runs a function on a stack of its own, with a page below it that traps.
/// Resumed only by the thread that made it.
class Fiber {
public:
  using Entry = void (*)(void *);

  /// `entry(argument)` must not return. Throws std::bad_alloc when there is no
  /// memory for the stack.
  Fiber(Entry entry, void *argument);
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Runs it from where it yielded, or from its entry, until it yields.
  void resume();
  /// Called on its stack: goes back to who resumed it.
  void yield();
  /// Whether the address is on its stack.
  bool owns(int64_t address) const;
  /// Forgets where it was: it is to start at its entry. What was on the stack
  /// is not destroyed.
  void restart() { started = false; }

private:
  static void enter(unsigned low, unsigned high);

  Entry entry;
  void *argument;
  char *memory;
  bool started = false;
  // A context is made by ucontext; switching by it would call the kernel each
  // time, for the signal mask.
  ucontext_t context;
  sigjmp_buf caller, self;
};

} // namespace mercury::simt

#endif // MERCURY_LIB_RUNTIME_SIMT_FIBER_H
