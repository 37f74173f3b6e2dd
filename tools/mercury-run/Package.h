//===- Package.h - A program to be checked elsewhere ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package is a folder with all that it takes to run and verify a program on a
// machine without the compiler: the shards of its arguments and of the
// reference, and `package.txt`, which describes them, a line each:
//
//   function NAME
//   level NAME SIZE                    outermost first
//   communicator LEVEL ...             indices of levels, first is major
//   multiply-adds NUMBER               of each rank
//   argument TYPE BYTES                rank R has them in rankR.argumentI
//   number TYPE BYTES                  an argument by value
//   result TYPE BYTES BOUND            rank R expects rankR.resultI: f64 each,
//                                      NaN where the result is unspecified;
//                                      BOUND is a relative Frobenius norm
//
// mercury-check reads it.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_PACKAGE_H
#define MERCURY_TOOLS_MERCURY_RUN_PACKAGE_H

#include "Compile.h"

namespace mercury::run {

/// Writes package.txt and the shards into `folder`, which is made where it does
/// not exist. `reference` holds the results of the function on one rank. Both
/// may be empty: arguments are then random, and nothing is expected. Errors
/// name the file.
llvm::Error writePackage(llvm::StringRef folder, const CompiledProgram &program,
                         const std::vector<HostTensor> &arguments,
                         const std::vector<HostTensor> &reference);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_PACKAGE_H
