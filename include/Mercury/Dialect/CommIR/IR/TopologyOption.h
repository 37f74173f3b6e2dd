//===- TopologyOption.h - Machines as options say them ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_IR_TOPOLOGYOPTION_H
#define MERCURY_DIALECT_COMMIR_IR_TOPOLOGYOPTION_H

#include "Mercury/Schedule/TopologyModel.h"
#include "mlir/Support/LLVM.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mercury::commir {

/// The machine that an option `topology` of a pass or a tool says: a file that
/// ends in `.mlir` or `.mlirbc` and has one `commir.topology`, or a text as
/// parseTopology reads it, `node=2,gpu=4` or `h100-sxm:node=2`. On failure
/// returns nothing and fills `error`, which names the text.
std::optional<TopologyModel> readTopology(llvm::StringRef text,
                                          mlir::MLIRContext *context,
                                          std::string &error);

} // namespace mercury::commir

#endif // MERCURY_DIALECT_COMMIR_IR_TOPOLOGYOPTION_H
