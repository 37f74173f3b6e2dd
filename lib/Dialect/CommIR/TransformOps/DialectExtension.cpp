//===- DialectExtension.cpp - Registers the transform ops -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/TransformOps/DialectExtension.h"
#include "Mercury/Dialect/CommIR/TransformOps/CommIRTransformOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"

using namespace mlir;
using namespace mercury::commir;

namespace {
class CommIRTransformDialectExtension
    : public transform::TransformDialectExtension<
          CommIRTransformDialectExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CommIRTransformDialectExtension)

  void init() {
    declareDependentDialect<CommIRDialect>();
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<CommIRDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<tensor::TensorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "Mercury/Dialect/CommIR/TransformOps/CommIRTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void mercury::commir::registerTransformDialectExtension(
    DialectRegistry &registry) {
  registry.addExtensions<CommIRTransformDialectExtension>();
}
