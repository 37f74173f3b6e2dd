//===- LibraryLaunch.cpp - Launches that a library computes ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Mercury/Dialect/CommIR/IR/KernelAttrNames.h"
#include "Mercury/Runtime/mercury_runtime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Of mercury_matmul_problem, without the types; of the arguments A, B and C.
static constexpr size_t kNumFields = 13, kNumMatrices = 3;
static_assert(sizeof(mercury_matmul_problem) ==
              (kNumFields + 2) * sizeof(int64_t));

/// The problem is a constant of the program; its types are those of the
/// arguments.
LogicalResult CallBuilder::launchInLibrary(LaunchOp op, func::FuncOp kernel) {
  auto problem = kernel->getAttrOfType<DenseI64ArrayAttr>(kMatmulAttrName);
  if (!problem || problem.size() != kNumFields + kNumMatrices)
    return op.emitOpError() << "launches " << op.getKernelAttr() << ", whose '"
                            << kMatmulAttrName << "' is not an array of "
                            << kNumFields + kNumMatrices << " i64";
  SmallVector<int64_t> fields(problem.asArrayRef().take_front(kNumFields));
  SmallVector<Value> matrices;
  for (int64_t argument : problem.asArrayRef().take_back(kNumMatrices)) {
    if (argument < 0 || argument >= op->getNumOperands() ||
        !isa<MemRefType>(op->getOperand(argument).getType()))
      return op.emitOpError() << "has no buffer " << argument
                              << ", which is a matrix of "
                              << op.getKernelAttr();
    matrices.push_back(op->getOperand(argument));
  }
  for (Value matrix : {matrices.front(), matrices.back()}) {
    FailureOr<int32_t> type =
        dataType(op, getElementTypeOrSelf(matrix.getType()), std::nullopt);
    if (failed(type))
      return failure();
    fields.push_back(*type);
  }

  OpBuilder b(op);
  Location loc = op.getLoc();
  std::string name = (kernel.getSymName() + "_problem").str();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    global = LLVM::GlobalOp::create(
        top, loc, LLVM::LLVMArrayType::get(b.getI64Type(), fields.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        b.getI64TensorAttr(fields), /*alignment=*/sizeof(int64_t));
  }
  SmallVector<Value> operands{context,
                              LLVM::AddressOfOp::create(b, loc, global)};
  for (Value matrix : matrices)
    operands.push_back(pointer(b, loc, matrix));
  checked(b, op, "mercury_matmul", operands);
  return success();
}
