//===- GuessMachine.cpp - Which machine a file describes ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GuessMachine.h"

#include <array>

using namespace mercury;

namespace {
struct Sign {
  std::string_view text, machine;
};
} // namespace

/// Identifiers of the PCI ID repository (pci-ids.ucw.cz).
static constexpr Sign pciDevices[] = {
    {"0x20b0", "a100-40"}, // A100 SXM4 40 GB
    {"0x20f1", "a100-40"}, // A100 PCIe 40 GB, whose rates are the same
    {"0x20b2", "a100-80"}, // A100 SXM4 80 GB
    {"0x20b5", "a100-80"}, // A100 PCIe 80 GB, the same but 1.94 TB/s of memory
    {"0x2330", "h100-sxm"}, {"0x2331", "h100-pcie"}, {"0x2335", "h200"},
    {"0x2901", "b200"},     {"0x27b8", "l4"}};

/// Products as `nvidia-smi -L` names them, the longer ones first.
static constexpr Sign products[] = {{"H100 PCIe", "h100-pcie"},
                                    {"H100", "h100-sxm"},
                                    {"H200", "h200"},
                                    {"NVIDIA B200", "b200"},
                                    {"A100-SXM4-40GB", "a100-40"},
                                    {"A100-PCIE-40GB", "a100-40"},
                                    {"A100", "a100-80"},
                                    {"NVIDIA L4 ", "l4"}};

std::optional<MachineGuess> mercury::guessMachine(const NodeDescription &node) {
  for (const Sign &sign : pciDevices)
    if (node.pciDevice == sign.text)
      return MachineGuess{sign.machine, "PCI device " + node.pciDevice, true};
  for (const Sign &sign : products)
    if (node.product.find(sign.text) != std::string::npos)
      return MachineGuess{sign.machine, "product " + std::string(sign.text),
                          true};
  int64_t links = 0;
  if (node.isSwitched && node.paths.size() > 1)
    links = node.paths[0][1].links;
  std::string sm = "compute capability " + std::to_string(node.sm / 10) + "." +
                   std::to_string(node.sm % 10);
  if (node.sm == 80 && links == 12)
    return MachineGuess{"a100-80", sm + " with 12 NVLinks", false};
  if (node.sm == 90 && links == 18)
    return MachineGuess{"h100-sxm", sm + " with 18 NVLinks", false};
  if (node.sm >= 100 && links == 18)
    return MachineGuess{"b200", sm + " with 18 NVLinks", false};
  if (node.sm == 89 && !links)
    return MachineGuess{"l4", sm + " without NVLink", false};
  if (node.sm == 0 && links == 18)
    return MachineGuess{"h100-sxm", "18 NVLinks, which B200 has, too", false};
  if (node.sm == 0 && links == 12)
    return MachineGuess{"a100-80", "12 NVLinks to switches", false};
  return std::nullopt;
}

int64_t mercury::computeCapability(std::string_view machine) {
  static constexpr std::pair<std::string_view, int64_t> known[] = {
      {"a100", 80}, {"l4", 89}, {"h100", 90}, {"h200", 90}, {"b200", 100}};
  for (auto [prefix, sm] : known)
    if (machine.substr(0, prefix.size()) == prefix)
      return sm;
  return 0;
}

int64_t mercury::pcieGeneration(std::string_view machine) {
  return computeCapability(machine) >= 90 ? 5 : 4;
}
