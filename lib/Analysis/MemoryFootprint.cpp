//===- MemoryFootprint.cpp - Bytes that a rank holds ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/MemoryFootprint.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

int64_t mercury::bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  int64_t count = shaped.getNumElements();
  Type element = shaped.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    count *= 2;
    element = complex.getElementType();
  }
  if (auto vector = dyn_cast<VectorType>(element)) {
    count *= vector.getNumElements();
    element = vector.getElementType();
  }
  if (element.isIndex())
    return count * 8;
  return element.isIntOrFloat()
             ? count * ((element.getIntOrFloatBitWidth() + 7) / 8)
             : 0;
}

static bool isCommunicated(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (isa<CommunicationOpInterface, HopOp>(user))
      return true;
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      if (isCommunicated(view->getResult(0)))
        return true;
  }
  return false;
}

void mercury::classifyAllocations(FunctionOpInterface function) {
  function->walk([](memref::AllocOp alloc) {
    if (alloc->hasAttr(kMemoryClassAttrName))
      return;
    alloc->setAttr(kMemoryClassAttrName,
                   StringAttr::get(alloc.getContext(), isCommunicated(alloc)
                                                           ? "staging"
                                                           : "workspace"));
  });
}

MemoryFootprint mercury::memoryFootprint(FunctionOpInterface function) {
  MemoryFootprint footprint;
  for (Type type : function.getArgumentTypes())
    footprint.ownShard += bytesOf(type);
  Block *entry = &function.getFunctionBody().front();
  llvm::MapVector<StringRef, int64_t> held;
  int64_t total = footprint.ownShard;
  footprint.peak = total;
  auto classOf = [](Operation *alloc) {
    auto name = alloc->getAttrOfType<StringAttr>(kMemoryClassAttrName);
    return name ? name.getValue() : StringRef("workspace");
  };
  auto hold = [&](Operation *alloc, int64_t bytes) {
    int64_t &now = held[classOf(alloc)];
    now += bytes;
    total += bytes;
    int64_t &most = footprint.peakOfClass[classOf(alloc)];
    most = std::max(most, now);
    footprint.peak = std::max(footprint.peak, total);
  };
  function->walk([&](memref::AllocOp alloc) {
    if (alloc->getBlock() != entry)
      hold(alloc, bytesOf(alloc.getType()));
  });
  for (Operation &op : *entry) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      hold(alloc, bytesOf(alloc.getType()));
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
      if (auto alloc = dealloc.getMemref().getDefiningOp<memref::AllocOp>();
          alloc && alloc->getBlock() == entry)
        hold(alloc, -bytesOf(alloc.getType()));
  }
  return footprint;
}
