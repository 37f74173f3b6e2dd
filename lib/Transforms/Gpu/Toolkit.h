//===- Toolkit.h - Where CUDA's tools are -----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_TOOLKIT_H
#define MERCURY_LIB_TRANSFORMS_GPU_TOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mercury {

/// What a compilation needs of the CUDA toolkit.
struct ToolkitNeeds {
  bool libdevice = false;  ///< nvvm/libdevice/libdevice.10.bc, for math
  bool ptxas = false;      ///< bin/ptxas, for machine code
  bool fatbinary = false;  ///< bin/fatbinary, for images of several kinds
};

/// The root of a CUDA toolkit that has what is needed: `given` if it is not
/// empty, else the first of CUDA_HOME, CUDA_ROOT, CUDA_PATH, the toolkit of the
/// ptxas in PATH, and /usr/local/cuda. "" where nothing is needed and there is
/// none. Error: what is missing and where it was looked for.
llvm::Expected<std::string> findToolkit(llvm::StringRef given,
                                        const ToolkitNeeds &needs);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_TOOLKIT_H
