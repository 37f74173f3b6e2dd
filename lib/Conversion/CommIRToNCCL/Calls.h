//===- Calls.h - Calls of the communication ABI -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_CONVERSION_COMMIRTONCCL_CALLS_H
#define MERCURY_LIB_CONVERSION_COMMIRTONCCL_CALLS_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Support/ParameterSlots.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace mercury {

/// Communicators of a module by set of axes, in order of first use.
class Communicators {
public:
  int32_t indexOf(const AxisList &axes);
  llvm::ArrayRef<AxisList> list() const { return sets; }

private:
  llvm::SmallVector<AxisList> sets;
};

/// Who goes on when: on a host its thread waits for communication; for a device
/// with streams it only enqueues, and events tie the streams.
enum class CallTarget { Host, Device };

/// The buffer of static `type` whose first element is at `pointer`.
mlir::Value bufferAt(mlir::OpBuilder &b, mlir::Location loc,
                     const mlir::LLVMTypeConverter &converter,
                     mlir::Value pointer, mlir::MemRefType type);

/// Replaces the commir ops of one function by calls.
class CallBuilder {
public:
  CallBuilder(mlir::func::FuncOp function, mlir::Value context,
              const TopologyModel &topology, Communicators &communicators,
              const mlir::LLVMTypeConverter &converter, CallTarget target);

  /// Whether `replace` knows `op` on this target.
  bool knows(mlir::Operation *op) const;

  /// Replaces one commir op on buffers. Emits an error for what the ABI lacks.
  mlir::LogicalResult replace(mlir::Operation *op);

  mlir::Value call(mlir::OpBuilder &b, mlir::Location loc,
                   llvm::StringRef callee, mlir::TypeRange results,
                   mlir::ValueRange operands);
  mlir::Value pointer(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value buffer);
  mlir::Value text(mlir::OpBuilder &b, mlir::Location loc,
                   llvm::StringRef content);

private:
  struct Group {
    mlir::Value communicator, stream, coordinate;
    int64_t size;
  };
  Group group(mlir::OpBuilder &b, mlir::Location loc, const AxisList &axes);
  mlir::Value coordinate(mlir::OpBuilder &b, mlir::Location loc,
                         const AxisList &axes);
  mlir::FailureOr<int32_t>
  dataType(mlir::Operation *op, mlir::Type element,
           std::optional<commir::ReductionKind> reduces);
  /// What the runtime's messages call `op`: its name and location.
  static std::string describe(mlir::Operation *op);
  void checked(mlir::OpBuilder &b, mlir::Operation *op, llvm::StringRef callee,
               mlir::ValueRange operands);
  mlir::Value i32(mlir::OpBuilder &b, mlir::Location loc, int64_t value);
  mlir::Value i64(mlir::OpBuilder &b, mlir::Location loc, int64_t value);
  void finish(mlir::OpBuilder &b, mlir::Operation *op, mlir::Value stream);
  mlir::LogicalResult allToAll(commir::AllToAllOp op, int32_t type);
  mlir::LogicalResult permute(commir::PermuteOp op, int32_t type);
  mlir::LogicalResult hop(commir::HopOp op);
  mlir::Value stream(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::ArrayAttr axes);
  mlir::Value event(mlir::OpBuilder &b, mlir::Location loc, int64_t number);
  // Launch.cpp
  mlir::LogicalResult launch(commir::LaunchOp op);
  void launchOnHost(commir::LaunchOp op, mlir::func::FuncOp kernel);
  mlir::LogicalResult launchOnDevice(commir::LaunchOp op,
                                     mlir::gpu::GPUFuncOp kernel);
  mlir::LLVM::LLVMFuncOp wrapper(mlir::func::FuncOp kernel);
  // LibraryLaunch.cpp
  mlir::LogicalResult launchInLibrary(commir::LaunchOp op,
                                      mlir::func::FuncOp kernel);
  // DocumentCheck.cpp
  void checkDocuments(commir::CheckDocumentsOp op);
  const ParameterSlots &getSlots();

  mlir::func::FuncOp function;
  mlir::ModuleOp module;
  mlir::Value context;
  const TopologyModel &topology;
  Communicators &communicators;
  const mlir::LLVMTypeConverter &converter;
  CallTarget target;
  /// Of all launches; made on first use.
  std::optional<ParameterSlots> slots;
};

} // namespace mercury

#endif // MERCURY_LIB_CONVERSION_COMMIRTONCCL_CALLS_H
