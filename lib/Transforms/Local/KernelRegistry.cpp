//===- KernelRegistry.cpp - Kernels to put in the place of computation ----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/KernelRegistry.h"

#include <utility>

namespace mercury {

std::string Kernel::form() const {
  if (isAttention)
    return isMasked ? maskedAttention : attention;
  return std::string(transposeA ? "t" : "n") + (transposeB ? "t" : "n");
}

std::string Kernel::stateType() const {
  return isAttention && type != "f64" ? "f32" : type;
}

bool parseForm(const std::string &form, Kernel &kernel) {
  kernel.isMasked = form == Kernel::maskedAttention;
  kernel.isAttention = kernel.isMasked || form == Kernel::attention;
  if (kernel.isAttention)
    return true;
  if (form.size() != 2 || form.find_first_not_of("nt") != std::string::npos)
    return false;
  kernel.transposeA = form[0] == 't';
  kernel.transposeB = form[1] == 't';
  return true;
}

KernelRegistry KernelRegistry::withShippedKernels() {
  KernelRegistry registry;
  for (const auto &[type, letter] : {std::pair("f32", "s"), {"f64", "d"}})
    for (const char *form : {"nn", "nt", "tn", "tt"}) {
      Kernel kernel;
      kernel.name = "blas";
      kernel.type = type;
      parseForm(form, kernel);
      kernel.symbol = std::string("mercury_blas_") + letter + "gemm_" + form;
      registry.registerKernel(std::move(kernel));
    }
  return registry;
}

std::string KernelRegistry::registerKernel(Kernel kernel) {
  if (kernel.name.empty())
    return "the kernel has no name";
  if (kernel.symbol.empty())
    return "kernel '" + kernel.name + "' has no symbol";
  for (const Kernel &other : all)
    if (other.name == kernel.name && other.type == kernel.type &&
        other.form() == kernel.form())
      return "kernel '" + kernel.name + "' is registered twice for " +
             kernel.type + " " + kernel.form();
  all.push_back(std::move(kernel));
  return "";
}

std::vector<const Kernel *>
KernelRegistry::lookup(const std::string &name) const {
  std::vector<const Kernel *> found;
  for (const Kernel &kernel : all)
    if (kernel.name == name)
      found.push_back(&kernel);
  return found;
}

KernelRegistry &globalKernelRegistry() {
  static KernelRegistry registry = KernelRegistry::withShippedKernels();
  return registry;
}

std::string registerKernel(Kernel kernel) {
  return globalKernelRegistry().registerKernel(std::move(kernel));
}

} // namespace mercury
