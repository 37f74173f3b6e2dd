//===- MemoryFootprint.h - Bytes that a rank holds --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_MEMORYFOOTPRINT_H
#define MERCURY_ANALYSIS_MEMORYFOOTPRINT_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace mercury {

/// Bytes of the elements of a tensor or buffer of static shape, an i1 taking
/// one each; 0 for other types.
int64_t bytesOf(mlir::Type type);

/// Bytes per rank of a bufferized function, alignment aside.
struct MemoryFootprint {
  /// Of arguments and results, held by the caller throughout.
  int64_t ownShard = 0;
  /// Of allocations: the most that is held at once, by class (the values of
  /// `commir.memory_class`) and over all classes.
  llvm::MapVector<llvm::StringRef, int64_t> peakOfClass;
  int64_t peak = 0; ///< own shard included
};

/// Marks allocations that communication reads or writes as staging, where they
/// have no class yet.
void classifyAllocations(mlir::FunctionOpInterface function);

/// Plays the allocations and deallocations in program order. Allocations inside
/// loops are held throughout, as the conversion to calls makes them.
MemoryFootprint memoryFootprint(mlir::FunctionOpInterface function);

} // namespace mercury

#endif // MERCURY_ANALYSIS_MEMORYFOOTPRINT_H
