//===- AttachTarget.cpp - Device functions that suit a chip ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBytes.h"
#include "Mercury/Transforms/Gpu/Chip.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace mercury {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "Mercury/Transforms/Gpu/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;

/// Ops that are known to end in instructions of every chip, for each type that
/// hasInstructions() knows. Those of other dialects, and what is not listed of
/// gpu and memref (memory from a heap, matrices of a warp), may have none.
static bool isDeviceOp(Operation *op) {
  Dialect *dialect = op->getDialect();
  if (isa_and_nonnull<gpu::GPUDialect>(dialect))
    return isa<gpu::BarrierOp, gpu::BlockDimOp, gpu::BlockIdOp, gpu::GPUFuncOp,
               gpu::GridDimOp, gpu::LaneIdOp, gpu::ReturnOp, gpu::ShuffleOp,
               gpu::ThreadIdOp>(op);
  if (isa_and_nonnull<memref::MemRefDialect>(dialect))
    return isa<memref::AllocaOp, memref::CastOp, memref::CollapseShapeOp,
               memref::DimOp, memref::ExpandShapeOp,
               memref::ExtractAlignedPointerAsIndexOp,
               memref::ExtractStridedMetadataOp, memref::GetGlobalOp,
               memref::GlobalOp, memref::LoadOp, memref::ReinterpretCastOp,
               memref::StoreOp, memref::SubViewOp, memref::TransposeOp>(op);
  return !isa<math::IPowIOp>(op) &&
         isa_and_nonnull<affine::AffineDialect, arith::ArithDialect,
                         cf::ControlFlowDialect, math::MathDialect,
                         scf::SCFDialect, ub::UBDialect, vector::VectorDialect>(
             dialect);
}

/// Whether NVPTX has code for `type`, without what it consists of. Libraries
/// that it would call for wide numbers do not exist on a device.
static bool hasInstructions(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1, 8, 16, 32, 64}, int(integer.getWidth()));
  if (isa<FloatType>(type))
    return isa<BFloat16Type, Float16Type, Float32Type, Float64Type>(type);
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.isScalable();
  if (auto memref = dyn_cast<BaseMemRefType>(type))
    return !memref.getMemorySpace() ||
           isa<gpu::AddressSpaceAttr>(memref.getMemorySpace());
  return !isa<ComplexType>(type);
}

/// The first type among those of `op` that no instruction is for.
static Type findForeignType(Operation *op) {
  Type foreign;
  AttrTypeWalker walker;
  walker.addWalk([&](Type type) {
    if (hasInstructions(type))
      return WalkResult::advance();
    foreign = type;
    return WalkResult::interrupt();
  });
  auto visit = [&](Type type) { return walker.walk(type).wasInterrupted(); };
  if (llvm::any_of(op->getOperandTypes(), visit) ||
      llvm::any_of(op->getResultTypes(), visit))
    return foreign;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), visit))
        return foreign;
  return nullptr;
}

static int64_t sharedBytes(gpu::GPUFuncOp function) {
  int64_t bytes = 0;
  for (BlockArgument buffer : function.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    bytes += type.getNumElements() * elementBytes(type.getElementType());
  }
  return bytes;
}

/// Parameters are bare pointers and numbers: the rest is in the types.
static LogicalResult checkArguments(gpu::GPUFuncOp function) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (type.isIntOrIndexOrFloat())
      continue;
    auto memref = dyn_cast<MemRefType>(type);
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!memref || !memref.hasStaticShape() ||
        failed(memref.getStridesAndOffset(strides, offset)) || offset ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return function.emitError()
             << "argument " << i << " has type " << type
             << ", expected a number, or a memref of static shape and strides "
                "without offset";
  }
  return success();
}

/// Threads of a block in z; in x and y it is all that a block has.
static constexpr int32_t kBlockLimitZ = 64;

/// Whether a launch of `function` is one that every chip takes.
static LogicalResult checkLimits(gpu::GPUFuncOp function) {
  for (BlockArgument buffer : function.getWorkgroupAttributions())
    if (!cast<MemRefType>(buffer.getType()).hasStaticShape())
      return function.emitError()
             << "shared memory of dynamic shape " << buffer.getType();
  if (int64_t bytes = sharedBytes(function); bytes > Chip::kStaticSharedBytes)
    return function.emitError()
           << "has " << bytes << " bytes of shared memory, a block has "
           << Chip::kStaticSharedBytes;
  if (std::optional<ArrayRef<int32_t>> block = function.getKnownBlockSize()) {
    int64_t threads = 1;
    for (int64_t size : *block)
      threads *= size;
    if (threads < 1 || threads > Chip::kThreadsPerBlock)
      return function.emitError()
             << "has blocks of " << threads << " threads, expected 1 to "
             << Chip::kThreadsPerBlock;
    if (block->size() == 3 && block->back() > kBlockLimitZ)
      return function.emitError()
             << "has blocks of " << block->back()
             << " threads in z, expected 1 to " << kBlockLimitZ;
  }
  if (std::optional<ArrayRef<int32_t>> grid = function.getKnownGridSize())
    for (auto [dim, size] : llvm::enumerate(*grid))
      if (size < 1 || (dim > 0 && size > Chip::kGridLimitYZ))
        return function.emitError()
               << "has a grid of " << size << " blocks in " << "xyz"[dim]
               << ", expected 1 to "
               << (dim ? Chip::kGridLimitYZ
                       : std::numeric_limits<int32_t>::max());
  return success();
}

static LogicalResult checkModule(gpu::GPUModuleOp module, const Chip &chip) {
  WalkResult result = module->walk([&](Operation *op) {
    if (op == module)
      return WalkResult::advance();
    if (!isDeviceOp(op)) {
      op->emitOpError() << "has no device code for chip '" << chip.name << "'";
      return WalkResult::interrupt();
    }
    if (Type type = findForeignType(op)) {
      op->emitOpError() << "has type " << type << ", which chip '" << chip.name
                        << "' does not compute with";
      return WalkResult::interrupt();
    }
    auto function = dyn_cast<gpu::GPUFuncOp>(op);
    bool isRefused = function && (failed(checkArguments(function)) ||
                                  failed(checkLimits(function)));
    return isRefused ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct AttachTargetPass
    : public mercury::impl::AttachTargetPassBase<AttachTargetPass> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto fail = [&](llvm::Error error) {
      module.emitError(llvm::toString(std::move(error)));
      signalPassFailure();
    };
    llvm::Expected<Chip> target = findChip(chip);
    if (!target)
      return fail(target.takeError());
    StringRef version = features.empty() ? target->defaultFeatures
                                         : StringRef(features.getValue());
    if (llvm::Error error = checkFeatures(*target, version))
      return fail(std::move(error));
    Builder b(&getContext());
    auto attribute = NVVM::NVVMTargetAttr::get(
        &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", chip, version);
    for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
      if (failed(checkModule(kernels, *target)))
        return signalPassFailure();
      kernels.setTargetsAttr(b.getArrayAttr(attribute));
    }
  }
};
} // namespace
