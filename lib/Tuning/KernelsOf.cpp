//===- KernelsOf.cpp - Kernels that may compute an operator ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/KernelRefusal.h"
#include "Mercury/Transforms/Local/KernelRegistry.h"
#include "Mercury/Tuning/LocalKernels.h"
#include "Mercury/Tuning/Tune.h"
#include "llvm/ADT/STLExtras.h"

using namespace mercury;

CostProblem mercury::costProblemOf(commir::DistributableOpInterface op,
                                   const TuneOptions &options,
                                   const DeviceModel &device,
                                   std::vector<std::string> &remarks) {
  CostProblem problem = costProblemOf(op);
  const KernelRegistry &registry = globalKernelRegistry();
  if (options.local == LocalKernel::Blas &&
      kernelRefusal(op, "blas", registry).empty())
    problem.library = "blas";
  for (const std::string &name : options.kernels) {
    if (std::string why = kernelRefusal(op, name, registry); !why.empty()) {
      remarks.push_back("kernel '" + name +
                        "' does not take this operator: " + why);
      continue;
    }
    problem.kernels.push_back(name);
    if (name != problem.library &&
        !llvm::is_contained(comparableKernels(problem, device), name))
      remarks.push_back("kernel '" + name +
                        "' is not compared: the device has no achieved rate "
                        "of it for this kind of work in '" +
                        problem.type + "'");
  }
  if (options.local == LocalKernel::Generated)
    for (std::string &name : measuredBlocks(problem, device))
      problem.kernels.push_back(std::move(name));
  return problem;
}
