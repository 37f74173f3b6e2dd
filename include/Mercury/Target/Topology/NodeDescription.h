//===- NodeDescription.h - A node as files describe it ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What files of other tools tell of a node: its devices, what joins each two of
// them, and its network cards. Readers fill it in; buildTopology makes a
// topology of it.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TARGET_TOPOLOGY_NODEDESCRIPTION_H
#define MERCURY_TARGET_TOPOLOGY_NODEDESCRIPTION_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercury {

/// What joins two parts of a node, nearest first; the names are those of
/// `nvidia-smi topo -m`.
enum class PathKind { NVLink, C2C, PIX, PXB, PHB, NODE, SYS };
std::string_view stringify(PathKind kind);

struct Path {
  PathKind kind = PathKind::SYS;
  int64_t links = 0;    ///< bonded NVLinks
  double bandwidth = 0; ///< bytes/s a direction; 0: the file does not say
  bool operator==(const Path &) const = default;
};

struct NodeDescription {
  struct Card {
    std::string name;
    std::string kind;            ///< of a network (Machines.h); "": not said
    double lineRate = 0;         ///< bytes/s; 0: not said
    double latency = 0;          ///< seconds; 0: not said
    std::vector<PathKind> toGpu; ///< how far each device is
  };

  /// Devices in the order of ranks; several nodes follow each other.
  std::vector<std::string> gpus;
  int64_t nodes = 1;
  /// Per two devices of the first node: symmetric; empty where the file does
  /// not say how devices are joined.
  std::vector<std::vector<Path>> paths;
  /// NVLinks end in switches: each device has one port of its own.
  bool isSwitched = false;
  /// The file lists PCIe devices, but not their NVLinks.
  bool lacksNvlink = false;
  bool deniesPeerAccess = false; ///< of some two devices
  std::vector<Card> cards;       ///< of the first node
  int64_t sm = 0;                ///< compute capability times ten; 0: not said
  std::string pciDevice;         ///< identifier of the devices, "0x2330"
  std::string product;           ///< lines that may name the devices' product
  std::vector<std::string> remarks; ///< what had to be filled in
};

/// Where a file is wrong, and why. Line 0: the whole file.
struct FileFault {
  int64_t line = 0;
  std::string reason;
};

/// Reads the topology that NCCL dumps (NCCL_TOPO_DUMP_FILE) or takes as a hint
/// (NCCL_TOPO_FILE), as src/graph/xml.cc of NVIDIA/nccl @5067397c does.
std::optional<NodeDescription> readNcclXml(std::string_view text,
                                           FileFault &fault);

/// Reads a matrix that `nvidia-smi topo -m` printed, also out of a page that it
/// was pasted into; a second one is taken for that of `topo -p2p`.
std::optional<NodeDescription> readNvidiaSmi(std::string_view text,
                                             FileFault &fault);

} // namespace mercury

#endif // MERCURY_TARGET_TOPOLOGY_NODEDESCRIPTION_H
