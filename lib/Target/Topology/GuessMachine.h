//===- GuessMachine.h - Which machine a file describes ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TARGET_TOPOLOGY_GUESSMACHINE_H
#define MERCURY_LIB_TARGET_TOPOLOGY_GUESSMACHINE_H

#include "Mercury/Target/Topology/NodeDescription.h"

namespace mercury {

struct MachineGuess {
  std::string_view machine; ///< a name of Machines.h
  std::string reason;       ///< what tells it
  bool isCertain = false;   ///< the product itself is named
};
/// The machine whose devices a file describes, if it says enough.
std::optional<MachineGuess> guessMachine(const NodeDescription &node);

/// Compute capability times ten of a machine's devices; 0: not known.
int64_t computeCapability(std::string_view machine);
/// Generation of PCIe of a machine's slots; of one not known 4.
int64_t pcieGeneration(std::string_view machine);

} // namespace mercury

#endif // MERCURY_LIB_TARGET_TOPOLOGY_GUESSMACHINE_H
