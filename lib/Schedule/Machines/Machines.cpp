//===- Machines.cpp - Machines that are known by name ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Figures.h"

using namespace mercury;

const std::vector<Machine> &mercury::machines() {
  static const std::vector<Machine> all = [] {
    std::vector<Machine> list = {a100_40(), a100_80(), b200(), h100Pcie(),
                                 h100Sxm(), h200(),    l4()};
    for (Machine &machine : list) {
      DeviceModel &device = machine.device;
      device.name = machine.name;
      device.reservable = int64_t(double(device.memory) * reservablePart);
      device.achieved = achievedRates(machine.name);
    }
    return list;
  }();
  return all;
}

const Machine *mercury::findMachine(std::string_view name) {
  for (const Machine &machine : machines())
    if (machine.name == name)
      return &machine;
  return nullptr;
}

std::string mercury::machineNames() {
  std::string names;
  for (const Machine &machine : machines())
    names += (names.empty() ? "" : ", ") + std::string(machine.name);
  return names;
}
