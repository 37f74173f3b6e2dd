//===- PatchLaunches.cpp - Contractions of the device's library -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/ContractionShape.h"
#include "Mercury/Dialect/CommIR/IR/AttrNames.h"
#include "Mercury/Dialect/CommIR/IR/KernelAttrNames.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mercury {
#define GEN_PASS_DEF_PATCHLAUNCHESPASS
#include "Mercury/Transforms/Gpu/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

using Shape = StridedContraction;
using Role = Contraction::Role;

/// What users call the library.
static constexpr StringLiteral kLibraryName = "cublaslt";

namespace {
/// One matrix of a problem: strides of its rows, its columns and the batch.
struct Matrix {
  int64_t row, column, batch;
};
} // namespace

/// The strides of `operand`, of which `rows` and `columns` are the indices.
/// Fails with `reason` where it is not a matrix of the library.
static FailureOr<Matrix> matrixOf(const Shape &shape, Shape::Operand operand,
                                  Role rows, Role columns,
                                  std::string &reason) {
  auto fail = [&](StringRef why) {
    reason =
        (StringRef("matrix ") + StringRef("ABC").substr(operand, 1) + " " + why)
            .str();
    return failure();
  };
  auto stride = [&](Role role) { return shape.innerStride(operand, role); };
  std::optional<int64_t> row = stride(rows), column = stride(columns);
  int64_t numRows = shape.extent(rows), numColumns = shape.extent(columns);
  // An index that takes one value may have any stride.
  if (!row && !column)
    row = column = 1;
  else if (!row)
    row = *column == 1 ? numColumns : 1;
  else if (!column)
    column = *row == 1 ? numRows : 1;
  if (*row != 1 && *column != 1)
    return fail("has neither rows nor columns of stride 1");
  bool isRowMajor = *column == 1 && (*row != 1 || numRows == 1);
  if (isRowMajor ? *row < numColumns : *column < numRows)
    return fail("has rows or columns that overlap");
  return Matrix{*row, *column, stride(Role::Batch).value_or(0)};
}

/// The value of `commir.matmul` for `kernel`. Fails with `reason`.
static FailureOr<DenseI64ArrayAttr> matchMatmul(func::FuncOp kernel,
                                                std::string &reason) {
  FailureOr<Shape> shape = matchStridedContraction(kernel, &reason);
  if (failed(shape))
    return failure();
  if (shape->isEmpty())
    return reason = "it is empty", failure();
  for (Role role : {Role::Batch, Role::M, Role::N, Role::K})
    if (shape->axes(role).size() > 1)
      return reason = "it has several batch, row, column or reduction indices "
                      "that do not step through memory as one",
             failure();
  Type input = shape->buffers[Shape::A].element,
       output = shape->buffers[Shape::C].element;
  if (input != shape->buffers[Shape::B].element || input.isF64() ||
      !output.isF32()) {
    llvm::raw_string_ostream(reason)
        << "it takes inputs of one type of f32, f16 and bf16 and an output of "
           "f32, the op has "
        << input << ", " << shape->buffers[Shape::B].element << " -> "
        << output;
    return failure();
  }
  FailureOr<Matrix> a = matrixOf(*shape, Shape::A, Role::M, Role::K, reason);
  if (failed(a))
    return failure();
  FailureOr<Matrix> b = matrixOf(*shape, Shape::B, Role::K, Role::N, reason);
  if (failed(b))
    return failure();
  FailureOr<Matrix> c = matrixOf(*shape, Shape::C, Role::M, Role::N, reason);
  if (failed(c))
    return failure();
  SmallVector<int64_t> fields = {shape->extent(Role::Batch),
                                 shape->extent(Role::M), shape->extent(Role::N),
                                 shape->extent(Role::K)};
  for (const Matrix &matrix : {*a, *b, *c})
    fields.append({matrix.row, matrix.column, matrix.batch});
  for (const Shape::Buffer &buffer : shape->buffers) {
    auto argument = dyn_cast<BlockArgument>(buffer.value);
    if (!argument)
      return reason = "a matrix is a constant of the kernel", failure();
    fields.push_back(argument.getArgNumber());
  }
  return DenseI64ArrayAttr::get(kernel.getContext(), fields);
}

namespace {
struct PatchLaunchesPass
    : public mercury::impl::PatchLaunchesPassBase<PatchLaunchesPass> {
  using PatchLaunchesPassBase::PatchLaunchesPassBase;

  void runOnOperation() override {
    if (!local.empty() && local != "library") {
      getOperation().emitError()
          << "option 'local' is '" << local << "', expected 'library' or none";
      return signalPassFailure();
    }
    bool isFailed = false;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(kKernelAttrName) && !kernel.isExternal())
        isFailed |= failed(patch(kernel));
    if (isFailed)
      signalPassFailure();
  }

  /// Fails if an op of `kernel` asks for what it cannot have.
  LogicalResult patch(func::FuncOp kernel) {
    Operation *asking = nullptr;
    kernel.walk([&](Operation *op) {
      if (op->hasAttr(kPatchAttrName))
        asking = op;
    });
    if (!asking && local.empty())
      return success();
    std::string reason;
    FailureOr<DenseI64ArrayAttr> problem = matchMatmul(kernel, reason);
    if (asking) {
      StringRef name = asking->getAttrOfType<StringAttr>(kPatchAttrName);
      if (name != kLibraryName)
        return asking->emitError()
               << "kernel '" << name
               << "' does not take this op: the kernels of devices are '"
               << kLibraryName << "'";
      if (failed(problem))
        return asking->emitError()
               << "kernel '" << name << "' does not take this op: " << reason;
      asking->removeAttr(kPatchAttrName);
    }
    if (failed(problem))
      return success();
    kernel->setAttr(kMatmulAttrName, *problem);
    ++numPatched;
    return success();
  }
};
} // namespace
