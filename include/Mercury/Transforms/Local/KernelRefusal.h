//===- KernelRefusal.h - Whether a kernel takes an operator -----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_LOCAL_KERNELREFUSAL_H
#define MERCURY_TRANSFORMS_LOCAL_KERNELREFUSAL_H

#include "mlir/IR/Operation.h"

#include <string>

namespace mercury {
class KernelRegistry;

/// Why no registered kernel called `name` takes `op`; empty where one does. Of
/// an operator on tensors this is said as if they were contiguous buffers, and
/// masks were ranges of keys.
std::string kernelRefusal(mlir::Operation *op, const std::string &name,
                          const KernelRegistry &registry);

} // namespace mercury

#endif // MERCURY_TRANSFORMS_LOCAL_KERNELREFUSAL_H
