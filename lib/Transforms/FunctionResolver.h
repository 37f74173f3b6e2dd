//===- FunctionResolver.h - Functions onto ranks -------------- -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_FUNCTIONRESOLVER_H
#define MERCURY_LIB_TRANSFORMS_FUNCTIONRESOLVER_H

#include "Mercury/Analysis/PlacementAnalysis.h"
#include "ResolveNest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mercury {

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// Builds the SPMD form of one function.
class FunctionResolver {
public:
  FunctionResolver(mlir::func::FuncOp function, const TopologyModel &topology)
      : function(function), topology(topology), placements(function, topology),
        b(function.getContext()), resharder(b, topology) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult resolve(mlir::Operation *op);
  mlir::LogicalResult resolvePlacement(mlir::Operation *op,
                                       const Placement &target);
  mlir::LogicalResult resolveArrange(commir::ArrangeOp op);
  mlir::LogicalResult resolveNestOp(mlir::Operation *op);
  mlir::LogicalResult resolvePad(mlir::tensor::PadOp pad);
  mlir::LogicalResult resolveExtract(mlir::tensor::ExtractSliceOp slice);
  mlir::LogicalResult resolveInsert(mlir::tensor::InsertSliceOp slice);
  mlir::LogicalResult resolveReshape(mlir::Operation *op);
  mlir::LogicalResult resolveOperator(commir::DistributableOpInterface op);
  mlir::LogicalResult resolveReplicated(mlir::Operation *op);
  mlir::LogicalResult resolveReturn(mlir::func::ReturnOp op);

  mlir::FailureOr<LocalValue> heldAsPlaced(mlir::Operation *user,
                                           mlir::Value base);
  /// What ranks hold of `value`, placed as `target`.
  LocalValue held(mlir::Location loc, mlir::Value value,
                  const Placement &target, llvm::ArrayRef<int64_t> padded = {});
  LocalValue whole(mlir::Location loc, mlir::Value value) {
    return held(loc, value, Placement::replicated(shapeOf(value).size()));
  }
  LocalValue gathered(mlir::Operation *op, mlir::Value value,
                      llvm::StringRef what);
  void set(mlir::Value value, LocalValue local) {
    locals[value] = std::move(local);
  }

  mlir::func::FuncOp function;
  const TopologyModel &topology;
  PlacementAnalysis placements;
  mlir::OpBuilder b;
  Resharder resharder;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, LocalValue> locals;
  /// Operators that reduce partial results; they end where they are placed.
  llvm::DenseMap<mlir::Value, commir::DistributableOpInterface> reductions;
  llvm::SmallVector<mlir::Type> resultTypes;
  llvm::SmallVector<mlir::DictionaryAttr> resultAttrs;
};

/// A tensor that every rank can make: an empty one, or one filled with a
/// scalar.
bool isMadeAnywhere(mlir::Value value);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_FUNCTIONRESOLVER_H
