//===- CommIROps.td - All ops of commir --------------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_COMMIROPS_TD
#define MERCURY_DIALECT_COMMIR_IR_COMMIROPS_TD

include "Mercury/Dialect/CommIR/IR/AttentionOps.td"
include "Mercury/Dialect/CommIR/IR/CollectiveOps.td"
include "Mercury/Dialect/CommIR/IR/DocumentOps.td"
include "Mercury/Dialect/CommIR/IR/LoopOps.td"
include "Mercury/Dialect/CommIR/IR/PlacementOps.td"
include "Mercury/Dialect/CommIR/IR/RotateOps.td"
include "Mercury/Dialect/CommIR/IR/StreamOps.td"
include "Mercury/Dialect/CommIR/IR/TopologyOps.td"

#endif
