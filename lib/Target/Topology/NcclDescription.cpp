//===- NcclDescription.cpp - A node from NCCL's file ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NcclXml.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace mercury;
using namespace mercury::nccl;

static constexpr double GB = 1e9;

/// GB/s of a PCIe link and direction as NCCL counts them: lanes times 100 Mb/s
/// times this, by the first characters of link_speed; what it does not know is
/// Gen3 (graph/topo.cc). A bridge that says 2.5 GT/s x1 is taken at its word:
/// it keeps traffic inside its switch.
static double linkBandwidth(const Pci &pci) {
  static constexpr std::pair<std::string_view, double> speeds[] = {
      {"2.5 GT/s", 15},        {"5 GT/s", 30},         {"8 GT/s", 60},
      {"16 GT/s", 120},        {"32 GT/s", 240},       {"64 GT/s", 480},
      {"5.0 GT/s PCIe", 30},   {"8.0 GT/s PCIe", 60},  {"16.0 GT/s PCIe", 120},
      {"32.0 GT/s PCIe", 240}, {"64.0 GT/s PCIe", 480}};
  double perLane = 60;
  for (auto [prefix, value] : speeds)
    if (pci.speed->substr(0, prefix.size()) == prefix)
      perLane = value;
  return double(pci.width > 0 ? pci.width : 16) * perLane / 80 * GB;
}

/// GB/s between the sockets (graph/topo.h); 0: not known.
static double socketBandwidth(const Cpu &cpu) {
  if (cpu.arch == "arm64")
    return 6 * GB;
  if (cpu.arch == "ppc64")
    return 32 * GB;
  if (cpu.vendor == "AuthenticAMD")
    return 16 * GB;
  if (cpu.vendor == "GenuineIntel" && cpu.family == 6)
    return (cpu.model >= 0xcf   ? 40 // Emerald Rapids and later
            : cpu.model >= 0x8f ? 22 // Sapphire Rapids
            : cpu.model >= 0x55 ? 10 // Skylake
                                : 6) *
           GB;
  if (cpu.vendor == "CentaurHauls" || cpu.vendor == "  Shanghai  ")
    return 6 * GB;
  return 0;
}

namespace {
class Describer {
public:
  Describer(const System &system, FileFault &fault)
      : system(system), fault(fault) {}

  std::optional<NodeDescription> describe() {
    if (!findDevices() || !checkLinks() || !splitNodes())
      return std::nullopt;
    findPaths();
    findCards();
    return std::move(result);
  }

private:
  /// A device: its slot, and its <gpu> where the file has one.
  struct Device {
    const Pci *pci;
    const Gpu *gpu;
  };

  bool fail(int64_t line, std::string reason) {
    fault = {line, std::move(reason)};
    return false;
  }

  static bool isClass(const Pci &pci, std::string_view prefix) {
    return pci.pciClass.substr(0, prefix.size()) == prefix;
  }

  bool findDevices() {
    for (const Gpu &gpu : system.gpus)
      devices.push_back({&system.pcis[gpu.pci], &gpu});
    if (devices.empty()) {
      // A hint: devices by their class alone.
      for (const Pci &pci : system.pcis)
        if (isClass(pci, "0x03"))
          devices.push_back({&pci, nullptr});
      result.lacksNvlink = true;
    }
    for (const Device &device : devices) {
      if (device.gpu && device.gpu->sm)
        result.sm = device.gpu->sm;
      if (!device.pci->device.empty() && device.pci->device != "0x0000")
        result.pciDevice = device.pci->device;
    }
    // By rank, else by number, else as the file has them.
    auto order = [](const Device &device) {
      return std::tuple(device.gpu ? device.gpu->rank : 0,
                        device.gpu ? device.gpu->dev : 0, device.pci);
    };
    std::sort(
        devices.begin(), devices.end(),
        [&](const Device &a, const Device &b) { return order(a) < order(b); });
    return true;
  }

  const Device *deviceAt(const std::string &bus, const std::string &host) {
    for (const Device &device : devices)
      if (device.pci->bus == bus && system.hostOf(*device.pci) == host)
        return &device;
    return nullptr;
  }

  /// NVLinks between two devices; those of both to switches.
  int64_t linksBetween(const Device &a, const Device &b) {
    int64_t direct = 0, switched = 0;
    for (const Link &link : a.gpu->links) {
      direct += link.target == b.pci->bus ? link.count : 0;
      switched += link.toSwitch ? link.count : 0;
    }
    return direct ? direct : switched;
  }

  bool checkLinks() {
    for (const Device &device : devices) {
      if (!device.gpu)
        continue;
      for (const Link &link : device.gpu->links) {
        const Device *target =
            deviceAt(link.target, system.hostOf(*device.pci));
        if (!target && !link.toSwitch && !link.toCpu)
          return fail(link.line, "nvlink of device " + device.pci->bus +
                                     " leads to " + link.target +
                                     ", which the file does not have");
        if (target &&
            linksBetween(device, *target) != linksBetween(*target, device))
          return fail(
              link.line,
              "devices " + device.pci->bus + " and " + link.target + " have " +
                  std::to_string(linksBetween(device, *target)) +
                  " NVLinks one way and " +
                  std::to_string(linksBetween(*target, device)) + " the other");
        result.isSwitched |= link.toSwitch;
      }
    }
    return true;
  }

  /// Several hosts in one file are nodes of the same kind, one after the other.
  bool splitNodes() {
    std::vector<std::string> hosts;
    for (const Device &device : devices)
      if (std::find(hosts.begin(), hosts.end(), system.hostOf(*device.pci)) ==
          hosts.end())
        hosts.push_back(system.hostOf(*device.pci));
    std::map<std::string, std::vector<Device>> byHost;
    for (const Device &device : devices)
      byHost[system.hostOf(*device.pci)].push_back(device);
    for (const std::string &host : hosts)
      if (byHost[host].size() != byHost[hosts[0]].size())
        return fail(byHost[host][0].pci->line,
                    "host " + host + " has " +
                        std::to_string(byHost[host].size()) + " devices, " +
                        hosts[0] + " has " +
                        std::to_string(byHost[hosts[0]].size()));
    result.nodes = std::max<int64_t>(1, int64_t(hosts.size()));
    for (const std::string &host : hosts)
      for (const Device &device : byHost[host])
        result.gpus.push_back(device.pci->bus);
    if (hosts.size() < 2)
      return true;
    for (size_t i = 0; i < devices.size(); ++i)
      if (system.hostOf(*devices[i].pci) !=
          hosts[i / byHost[hosts[0]].size()]) {
        result.remarks.push_back("ranks are counted host by host, not as the "
                                 "file numbers them");
        break;
      }
    devices = byHost[hosts[0]];
    return true;
  }

  /// The slots from a device or card up to the cpu.
  std::vector<int64_t> chainOf(int64_t pci) {
    std::vector<int64_t> chain;
    for (; pci >= 0; pci = system.pcis[pci].parent)
      chain.push_back(pci);
    return chain;
  }

  int64_t indexOf(const Pci &pci) { return &pci - system.pcis.data(); }

  Path pciePath(int64_t a, int64_t aCpu, int64_t b, int64_t bCpu) {
    std::vector<int64_t> up = chainOf(a), down = chainOf(b);
    // Leave out what is above the switch that both are below.
    bool meets = false;
    while (!up.empty() && !down.empty() && up.back() == down.back()) {
      meets = true;
      up.pop_back();
      down.pop_back();
    }
    size_t switches = std::max(up.size(), down.size());
    Path path;
    path.kind = meets          ? switches <= 1 ? PathKind::PIX : PathKind::PXB
                : aCpu == bCpu ? PathKind::PHB
                               : PathKind::SYS;
    auto limit = [&](double bandwidth) {
      if (bandwidth > 0)
        path.bandwidth = path.bandwidth > 0
                             ? std::min(path.bandwidth, bandwidth)
                             : bandwidth;
    };
    for (const std::vector<int64_t> &chain : {up, down})
      for (int64_t slot : chain)
        if (system.pcis[slot].speed)
          limit(linkBandwidth(system.pcis[slot]));
    const Cpu &cpu = system.cpus[aCpu];
    // Packets through an Intel host bridge carry 64 bytes: 6/5 of the bytes.
    if (!meets && cpu.vendor == "GenuineIntel" && path.bandwidth > 0)
      path.bandwidth *= 5.0 / 6;
    if (path.kind == PathKind::SYS)
      limit(std::min(socketBandwidth(cpu), socketBandwidth(system.cpus[bCpu])));
    return path;
  }

  void findPaths() {
    // A list of switches and cards alone says nothing of devices.
    size_t count = devices.size();
    result.paths.assign(count, std::vector<Path>(count));
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j) {
        if (i == j)
          continue;
        const Device &a = devices[i], &b = devices[j];
        Path &path = result.paths[i][j];
        path =
            pciePath(indexOf(*a.pci), a.pci->cpu, indexOf(*b.pci), b.pci->cpu);
        if (int64_t links = a.gpu && b.gpu ? linksBetween(a, b) : 0)
          path = {PathKind::NVLink, links, 0};
      }
  }

  void addCard(NodeDescription::Card card, int64_t pci, int64_t cpu) {
    for (const Device &device : devices)
      card.toGpu.push_back(
          pciePath(pci, cpu, indexOf(*device.pci), device.pci->cpu).kind);
    result.cards.push_back(std::move(card));
  }

  /// The network that a card is for, by its class and maker.
  static std::string kindOf(const Pci *pci) {
    if (!pci)
      return "";
    if (pci->vendor == "0x1d0f") // Amazon
      return "efa";
    return isClass(*pci, "0x0207")   ? "ib"
           : isClass(*pci, "0x0200") ? "roce"
                                     : "";
  }

  void findCards() {
    const std::string host =
        devices.empty() ? (system.cpus.empty() ? "" : system.cpus[0].host)
                        : system.hostOf(*devices[0].pci);
    // Nets with one guid are ports of one card.
    std::map<std::string, size_t> byGuid;
    for (const Net &net : system.nets) {
      if (system.cpus[net.cpu].host != host)
        continue;
      const Pci *pci = net.pci >= 0 ? &system.pcis[net.pci] : nullptr;
      double rate = net.speed > 0 ? double(net.speed) * 1e6 / 8 : 0;
      bool isKnown = !net.guid.empty() && net.guid != "0x0";
      if (isKnown && byGuid.count(net.guid)) {
        result.cards[byGuid[net.guid]].lineRate += rate;
        continue;
      }
      if (isKnown)
        byGuid[net.guid] = result.cards.size();
      addCard({net.name, kindOf(pci), rate, net.latency * 1e-6, {}}, net.pci,
              net.cpu);
    }
    if (!system.nets.empty())
      return;
    // A hint: cards by their class, or, without devices, what has no class.
    size_t unclassified = 0;
    for (const Pci &pci : system.pcis) {
      bool isCard = isClass(pci, "0x02");
      bool isGuess = devices.empty() && pci.pciClass.empty() && !pci.hasDevices;
      unclassified += isGuess;
      if ((isCard || isGuess) && system.hostOf(pci) == host)
        addCard({pci.bus, kindOf(&pci), 0, 0, {}}, indexOf(pci), pci.cpu);
    }
    if (unclassified)
      result.remarks.push_back("the " + std::to_string(unclassified) +
                               " PCIe devices without a class are taken for "
                               "network cards");
  }

  const System &system;
  FileFault &fault;
  std::vector<Device> devices; ///< of the first node, after splitNodes
  NodeDescription result;
};
} // namespace

std::optional<NodeDescription> mercury::readNcclXml(std::string_view text,
                                                    FileFault &fault) {
  std::optional<System> system = readSystem(text, fault);
  if (!system)
    return std::nullopt;
  if (system->pcis.empty()) {
    fault = {0, "the file has no <pci>: nothing says what the machine has"};
    return std::nullopt;
  }
  return Describer(*system, fault).describe();
}
