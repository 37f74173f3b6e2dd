//===- CommIR.h - The commir dialect ----------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_IR_COMMIR_H
#define MERCURY_DIALECT_COMMIR_IR_COMMIR_H

#include "Mercury/Dialect/CommIR/IR/AttrNames.h"
#include "Mercury/Dialect/CommIR/IR/CommIRInterfaces.h"
#include "Mercury/Schedule/Schedule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/Hashing.h"

namespace mercury {

/// For the uniquing of attributes that hold them.
llvm::hash_code hash_value(const Level &level);
llvm::hash_code hash_value(const DeviceModel &device);

} // namespace mercury

namespace mercury::commir {

/// What every communicating op reads and writes.
struct NetworkResource
    : public mlir::SideEffects::Resource::Base<NetworkResource> {
  mlir::StringRef getName() final { return "Network"; }
};

/// The first error of a run: what every op writes that checks values.
struct StatusResource
    : public mlir::SideEffects::Resource::Base<StatusResource> {
  mlir::StringRef getName() final { return "Status"; }
};

} // namespace mercury::commir

#include "Mercury/Dialect/CommIR/IR/CommIRDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Mercury/Dialect/CommIR/IR/CommIRAttrs.h.inc"

// PartialReductionOpInterface names mlir's types without their namespace.
namespace mercury::commir {
using namespace ::mlir; // NOLINT
}

#define GET_OP_CLASSES
#include "Mercury/Dialect/CommIR/IR/CommIROps.h.inc"

namespace mercury::commir {

/// The axes that a list of `#commir.axis` names.
AxisList toAxisList(mlir::ArrayAttr axes);
/// The list of `#commir.axis` for axes.
mlir::ArrayAttr toArrayAttr(mlir::MLIRContext *context, const AxisList &axes);

/// The topology that `op` runs on: the one that its function or module names by
/// `commir.topology`, or else the only one of its module. Null when there is
/// none.
TopologyOp lookupTopology(mlir::Operation *op);

/// The type that an operand of `commir.launch` of `type` has inside the kernel:
/// a memref starts at its first element, other types stay.
mlir::Type kernelArgumentType(mlir::Type type);

/// True when `value` holds nothing but `element`: a fill or a splat constant,
/// also through placement ops.
bool isFilledWith(mlir::Value value, mlir::Attribute element);

} // namespace mercury::commir

#endif // MERCURY_DIALECT_COMMIR_IR_COMMIR_H
