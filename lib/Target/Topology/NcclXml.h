//===- NcclXml.h - What NCCL's topology files have --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TARGET_TOPOLOGY_NCCLXML_H
#define MERCURY_LIB_TARGET_TOPOLOGY_NCCLXML_H

#include "Mercury/Target/Topology/NodeDescription.h"

namespace mercury::nccl {

struct Cpu {
  std::string host; ///< hash of the machine's name, where several are in a file
  std::string arch, vendor;
  int64_t family = 0, model = 0;
};
struct Pci {
  int64_t line = 0;
  std::string bus;                  ///< "dddd:bb:dd.f"
  std::string pciClass;             ///< "0x030200"; "": not said
  std::string vendor, device;       ///< identifiers
  std::optional<std::string> speed; ///< "16 GT/s"; nothing: not said
  int64_t width = 0;                ///< lanes; 0: not said
  int64_t parent = -1;              ///< index of the switch above it; -1: cpu
  int64_t cpu = 0;
  bool hasDevices = false; ///< below it
};
struct Link {
  int64_t line = 0;
  std::string target; ///< bus
  int64_t count = 0;
  bool toSwitch = false, toCpu = false;
};
struct Gpu {
  int64_t line = 0;
  int64_t pci = 0;
  int64_t dev = -1, sm = 0, rank = -1;
  std::vector<Link> links;
};
struct Net {
  std::string name, guid;
  int64_t pci = -1; ///< -1: directly at the cpu
  int64_t cpu = 0;
  int64_t speed = 0;  ///< Mb/s; not positive: not said
  double latency = 0; ///< us
};

/// A file's content, in its order.
struct System {
  std::vector<Cpu> cpus;
  std::vector<Pci> pcis;
  std::vector<Gpu> gpus;
  std::vector<Net> nets;

  const std::string &hostOf(const Pci &pci) const { return cpus[pci.cpu].host; }
};

std::optional<System> readSystem(std::string_view text, FileFault &fault);

} // namespace mercury::nccl

#endif // MERCURY_LIB_TARGET_TOPOLOGY_NCCLXML_H
