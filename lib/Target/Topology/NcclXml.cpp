//===- NcclXml.cpp - What NCCL's topology files have ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grammar, in the words of NCCL's parser: system has cpus, a cpu has PCIe
// devices and network cards, a PCIe device has others below it (a switch), a
// gpu with its nvlinks, or a nic with its nets. Attributes that hint files
// leave out are those that NCCL reads from the machine it runs on.
//
//===----------------------------------------------------------------------===//
#include "NcclXml.h"
#include "XmlTree.h"

#include <charconv>

using namespace mercury;
using namespace mercury::nccl;

namespace {
/// Collects what a file has, in the order of the file.
class Collector {
public:
  Collector(System &system, FileFault &fault) : system(system), fault(fault) {}

  bool collect(const XmlElement &root) {
    if (root.name != "system")
      return fail(root, "expected <system>, got <" + root.name + ">");
    std::string_view version = root.get("version").value_or("");
    if (version != "1")
      return fail(root, "version '" + std::string(version) +
                            "' of <system> is not '1', which NCCL writes");
    for (auto &child : root.children)
      if (child->name == "cpu" && !cpu(*child))
        return false;
    return true;
  }

private:
  bool fail(const XmlElement &at, std::string reason) {
    fault = {at.line, std::move(reason)};
    return false;
  }

  /// An integer that an attribute holds; `value` stays where there is none.
  bool number(const XmlElement &at, std::string_view attribute,
              int64_t &value) {
    std::optional<std::string_view> text = at.get(attribute);
    if (!text)
      return true;
    int64_t parsed = 0;
    auto [end, error] =
        std::from_chars(text->data(), text->data() + text->size(), parsed);
    if (error != std::errc() || end != text->data() + text->size())
      return fail(at, "'" + std::string(*text) + "' of " +
                          std::string(attribute) + " in <" + at.name +
                          "> is no number");
    value = parsed;
    return true;
  }

  bool cpu(const XmlElement &element) {
    Cpu cpu;
    cpu.host = element.get("host_hash").value_or("");
    cpu.arch = element.get("arch").value_or("");
    cpu.vendor = element.get("vendor").value_or("");
    if (!number(element, "familyid", cpu.family) ||
        !number(element, "modelid", cpu.model))
      return false;
    system.cpus.push_back(std::move(cpu));
    return below(element, -1);
  }

  /// The children of a cpu or PCIe device.
  bool below(const XmlElement &element, int64_t parent) {
    for (auto &child : element.children) {
      bool isFine = child->name == "pci"   ? pci(*child, parent)
                    : child->name == "gpu" ? gpu(*child, parent)
                    : child->name == "nic" ? nic(*child, parent)
                                           : true; // NCCL skips others
      if (!isFine)
        return false;
    }
    return true;
  }

  bool pci(const XmlElement &element, int64_t parent) {
    Pci pci;
    pci.line = element.line;
    pci.bus = element.get("busid").value_or("");
    if (pci.bus.empty())
      return fail(element, "<pci> has no busid");
    for (const Pci &other : system.pcis)
      if (other.bus == pci.bus &&
          system.hostOf(other) == system.cpus.back().host)
        return fail(element, "busid '" + pci.bus + "' is that of line " +
                                 std::to_string(other.line) + ", too");
    pci.parent = parent;
    pci.cpu = int64_t(system.cpus.size()) - 1;
    pci.pciClass = element.get("class").value_or("");
    pci.vendor = element.get("vendor").value_or("");
    pci.device = element.get("device").value_or("");
    if (std::optional<std::string_view> speed = element.get("link_speed"))
      pci.speed = *speed;
    if (!number(element, "link_width", pci.width))
      return false;
    int64_t index = int64_t(system.pcis.size());
    system.pcis.push_back(std::move(pci));
    if (parent >= 0)
      system.pcis[parent].hasDevices = true;
    return below(element, index);
  }

  bool gpu(const XmlElement &element, int64_t parent) {
    if (parent < 0)
      return fail(element, "<gpu> stands outside of <pci>");
    Gpu gpu;
    gpu.line = element.line;
    gpu.pci = parent;
    if (!number(element, "dev", gpu.dev) || !number(element, "sm", gpu.sm) ||
        !number(element, "rank", gpu.rank))
      return false;
    for (const Gpu &other : system.gpus)
      if (other.rank >= 0 && other.rank == gpu.rank)
        return fail(element, "devices " + system.pcis[other.pci].bus + " and " +
                                 system.pcis[parent].bus + " both have rank " +
                                 std::to_string(gpu.rank));
    for (auto &child : element.children)
      if (child->name == "nvlink" && !nvlink(*child, gpu))
        return false;
    system.pcis[parent].hasDevices = true;
    system.gpus.push_back(std::move(gpu));
    return true;
  }

  bool nvlink(const XmlElement &element, Gpu &gpu) {
    const std::string &own = system.pcis[gpu.pci].bus;
    Link link;
    link.line = element.line;
    link.target = element.get("target").value_or("");
    if (link.target == own)
      return fail(element, "nvlink of device " + own + " leads to itself");
    std::string_view tclass = element.get("tclass").value_or("");
    link.toSwitch = tclass.substr(0, 8) == "0x068000";
    link.toCpu = tclass.substr(0, 8) == "0x068001";
    link.count = 1;
    if (!number(element, "count", link.count))
      return false;
    if (link.count < 1 || link.count > 64)
      return fail(element, "nvlink of device " + own + " has count " +
                               std::to_string(link.count) +
                               ", expected 1 to 64");
    gpu.links.push_back(std::move(link));
    return true;
  }

  bool nic(const XmlElement &element, int64_t parent) {
    for (auto &child : element.children) {
      if (child->name != "net")
        continue;
      Net net;
      net.pci = parent;
      net.cpu = int64_t(system.cpus.size()) - 1;
      net.name = child->get("name").value_or("");
      net.guid = child->get("guid").value_or("");
      if (!number(*child, "speed", net.speed))
        return false;
      if (std::optional<std::string_view> text = child->get("latency")) {
        auto [end, error] = std::from_chars(
            text->data(), text->data() + text->size(), net.latency);
        if (error != std::errc() || end != text->data() + text->size() ||
            !(net.latency >= 0) || net.latency > 1e9)
          return fail(*child, "'" + std::string(*text) +
                                  "' of latency in <net> is no time in us");
      }
      system.nets.push_back(std::move(net));
    }
    if (parent >= 0)
      system.pcis[parent].hasDevices = true;
    return true;
  }

  System &system;
  FileFault &fault;
};
} // namespace

std::optional<System> nccl::readSystem(std::string_view text,
                                       FileFault &fault) {
  std::unique_ptr<XmlElement> root = parseXml(text, fault);
  System system;
  if (!root || !Collector(system, fault).collect(*root))
    return std::nullopt;
  return system;
}
