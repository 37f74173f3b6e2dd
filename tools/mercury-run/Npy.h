//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files of format versions 1.0 to 3.0 (numpy.lib.format),
// little endian, row-major or column-major on input, row-major on output.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_NPY_H
#define MERCURY_TOOLS_MERCURY_RUN_NPY_H

#include "HostTensor.h"
#include "llvm/Support/Error.h"

namespace mercury::run {

/// Reads `path` as a tensor of exactly `spec`. The file's type must be that of
/// the elements (`|b1` for i1); bf16, which NumPy lacks, is read from `<f4`
/// (rounded) or from the raw `<V2` that the ml_dtypes package writes.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path,
                                   const TensorSpec &spec);

/// The same from memory; `name` is for messages.
llvm::Expected<HostTensor>
parseNpy(llvm::StringRef bytes, const TensorSpec &spec, llvm::StringRef name);

/// Writes `tensor`; bf16 as `<f4`, which holds every value exactly.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);
std::string printNpy(const HostTensor &tensor);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_NPY_H
