//===- KernelWork.cpp - What a kernel does, counted -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/KernelWork.h"
#include "Mercury/Analysis/BufferEffects.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static int64_t bytesOf(MemRefType type) {
  Type element = type.getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return type.hasStaticShape()
             ? type.getNumElements() * llvm::divideCeil(bits, 8)
             : 0;
}

namespace {
/// Bytes of the kernel's buffers: a part that several ops use counts once.
class Traffic {
public:
  void read(Value buffer) { add(buffer, reads); }
  void write(Value buffer) { add(buffer, writes); }
  double total() const {
    double bytes = 0;
    for (const auto &list : {reads, writes})
      for (const auto &[buffer, size] : list)
        bytes += size;
    return bytes;
  }

private:
  using Sizes = llvm::MapVector<Value, int64_t>;
  static void add(Value value, Sizes &sizes) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      return;
    for (Value root : rootsOf(value))
      // What is made inside stays near the units that compute.
      if (isa<BlockArgument>(root))
        sizes[root] = std::max(sizes[root], bytesOf(type));
  }
  Sizes reads, writes;
};
} // namespace

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static void countAttention(OnlineAttentionOp op, KernelWork &work) {
  SmallVector<int64_t> extents = op.getMapExtents();
  work.kind = KernelWork::Kind::Attention;
  work.size = extents[op.getKeyLoop()];
  work.headDim = extents[op.getKeyLoop() + 1];
  work.isMasked = op.getKeyBegin() != nullptr;
  work.type = textOf(getElementTypeOrSelf(op.getKey()));
}

static void countContraction(linalg::LinalgOp op, KernelWork &work) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims))
    return;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  double volume = 1;
  for (const auto &list : {dims->m, dims->n, dims->k})
    for (unsigned dim : list)
      volume *= ranges[dim];
  work.kind = KernelWork::Kind::Contraction;
  work.size = std::cbrt(volume);
  work.type = textOf(getElementTypeOrSelf(op.getDpsInputs()[0]));
}

KernelWork mercury::countKernelWork(func::FuncOp kernel) {
  KernelWork work;
  Traffic traffic;
  kernel.walk([&](Operation *op) {
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      traffic.read(copy.getSource());
      traffic.write(copy.getTarget());
      return;
    }
    auto dps = dyn_cast<DestinationStyleOpInterface>(op);
    if (!dps)
      return;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    for (OpOperand *input : dps.getDpsInputOperands())
      traffic.read(input->get());
    for (OpOperand &init : dps.getDpsInitsMutable()) {
      traffic.write(init.get());
      if (!linalgOp || linalgOp.payloadUsesValueFromOperand(&init))
        traffic.read(init.get());
    }
    auto distributable = dyn_cast<DistributableOpInterface>(op);
    int64_t multiplyAdds =
        distributable ? distributable.countMultiplyAdds() : 0;
    if (multiplyAdds == 0)
      return;
    work.multiplyAdds += multiplyAdds;
    if (auto patch = op->getAttrOfType<StringAttr>(kPatchAttrName))
      work.kernel = patch.str();
    if (auto attention = dyn_cast<OnlineAttentionOp>(op))
      countAttention(attention, work);
    else if (linalgOp)
      countContraction(linalgOp, work);
  });
  work.bytes = traffic.total();
  return work;
}
