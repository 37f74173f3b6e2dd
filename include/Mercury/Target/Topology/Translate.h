//===- Translate.h - Topologies for mercury-translate -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TARGET_TOPOLOGY_TRANSLATE_H
#define MERCURY_TARGET_TOPOLOGY_TRANSLATE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mercury {

/// Adds --nccl-xml-to-topology, --nvidia-smi-to-topology and --topology-to-dot
/// to tools that translate. `registerDialects` adds those that may stand in a
/// module whose topology is drawn.
void registerTopologyTranslations(
    void (*registerDialects)(mlir::DialectRegistry &));

} // namespace mercury

#endif // MERCURY_TARGET_TOPOLOGY_TRANSLATE_H
