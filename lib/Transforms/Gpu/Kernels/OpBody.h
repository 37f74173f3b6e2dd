//===- OpBody.h - What a local op computes at a point -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_OPBODY_H
#define MERCURY_LIB_TRANSFORMS_GPU_OPBODY_H

#include "KernelMemory.h"

namespace mercury {

/// How partial results of one output of a reduction become one.
struct Combiner {
  mlir::Operation *op = nullptr; ///< binary, in the body
  mlir::TypedAttr neutral;
};

/// The combiners of all outputs of `op`; nothing if the body has others than
/// single associative and commutative ops.
std::optional<llvm::SmallVector<Combiner>> findCombiners(const LocalOp &op);

/// The combiner on `a` and `b`.
mlir::Value combine(mlir::OpBuilder &builder, const Combiner &combiner,
                    mlir::Value a, mlir::Value b);

/// Elements of buffers that a thread has at its point of the common loops.
/// Stores are kept back until the end, so that what is overwritten is not
/// stored and what has been computed is not loaded.
class HeldElements {
public:
  struct Entry {
    mlir::Value buffer;
    int64_t offset;
    llvm::SmallVector<int64_t> strides; ///< of the common loops
    llvm::SmallVector<mlir::Value> elements;
    /// What is still to be stored, and from where.
    const LocalOp *op = nullptr;
    const OpAccess *access = nullptr;
    LoopPoint point;
  };
  /// The entry of the same elements, made if there is none yet.
  Entry &entryFor(const OpAccess &access, llvm::ArrayRef<unsigned> common);
  void storeAll(mlir::OpBuilder &b, const KernelMemory &memory) const;

private:
  std::vector<Entry> entries;
};

/// Writes the body of one op.
class OpBody {
public:
  OpBody(const KernelMemory &memory, const LocalOp &op)
      : memory(memory), op(op) {}

  /// Loads, computes and stores. The point is not in the middle of a reduction.
  void compute(mlir::OpBuilder &b, const LoopPoint &point) const;
  /// As above, of an op whose loops all are `common`, through `held`.
  void compute(mlir::OpBuilder &b, const LoopPoint &point, HeldElements &held,
               llvm::ArrayRef<unsigned> common) const;
  /// The accumulators (one per output) after the iterations of `point`.
  llvm::SmallVector<mlir::Value>
  accumulate(mlir::OpBuilder &b, const LoopPoint &point,
             mlir::ValueRange accumulators) const;
  /// One element per output.
  llvm::SmallVector<mlir::Value> loadOutputs(mlir::OpBuilder &b,
                                             const LoopPoint &point) const;
  void storeOutputs(mlir::OpBuilder &b, const LoopPoint &point,
                    mlir::ValueRange values) const;

private:
  using Elements = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;
  /// The results of iteration number `i` of the point; `elements` by access.
  llvm::SmallVector<mlir::Value> cloneBody(mlir::OpBuilder &b,
                                           const LoopPoint &point, int64_t i,
                                           const Elements &elements) const;
  /// Numbers of the accesses to outputs, in the order of results.
  llvm::SmallVector<unsigned> outputs() const;

  const KernelMemory &memory;
  const LocalOp &op;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_OPBODY_H
