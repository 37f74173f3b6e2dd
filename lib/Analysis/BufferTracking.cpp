//===- BufferTracking.cpp - Buffers of a rank in play ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferTracking.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mercury;

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

/// The element behind the last one that the part touches.
static int64_t endOf(const BufferRef &ref) {
  int64_t last = ref.offset;
  for (auto [extent, stride] : ref.dims)
    last += (extent - 1) * stride;
  return last + 1;
}

/// Indices of the part's first element along `strides` (falling), and extents;
/// false when the part crosses a stride.
static bool boxOf(const BufferRef &ref, ArrayRef<int64_t> strides,
                  SmallVector<std::pair<int64_t, int64_t>> &box) {
  int64_t rest = ref.offset;
  for (auto [i, stride] : llvm::enumerate(strides)) {
    int64_t extent = 1;
    for (auto [size, along] : ref.dims)
      if (size > 1 && along == stride)
        extent = size;
    int64_t at = rest / stride;
    rest %= stride;
    if (i > 0 && (at + extent) * stride > strides[i - 1])
      return false;
    box.push_back({at, extent});
  }
  return rest == 0;
}

bool mercury::overlaps(const BufferRef &a, const BufferRef &b) {
  if (a.allocation != b.allocation)
    return false;
  for (const BufferRef *ref : {&a, &b})
    if (llvm::any_of(ref->dims, [](auto dim) { return dim.first == 0; }))
      return false;
  if (endOf(a) <= b.offset || endOf(b) <= a.offset)
    return false;
  SmallVector<int64_t> strides{1};
  for (const BufferRef *ref : {&a, &b})
    for (auto [extent, stride] : ref->dims) {
      if (stride <= 0)
        return true;
      if (extent > 1 && !llvm::is_contained(strides, stride))
        strides.push_back(stride);
    }
  llvm::sort(strides, std::greater<>());
  SmallVector<std::pair<int64_t, int64_t>> boxA, boxB;
  if (!boxOf(a, strides, boxA) || !boxOf(b, strides, boxB))
    return true;
  for (auto [x, y] : llvm::zip(boxA, boxB))
    if (x.first + x.second <= y.first || y.first + y.second <= x.first)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

BufferRef BufferTracking::allocate(Value origin) {
  BufferRef ref;
  ref.allocation = allocations.size();
  allocations.push_back({origin, nullptr});
  auto type = cast<MemRefType>(origin.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    strides.assign(type.getRank(), ShapedType::kDynamic);
  int64_t packed = 1;
  for (int64_t i = type.getRank(); i-- > 0;) {
    // Of dynamic extents only that they may be large matters.
    int64_t extent = type.isDynamicDim(i) ? 1 << 16 : type.getDimSize(i);
    int64_t stride = ShapedType::isDynamic(strides[i]) ? packed : strides[i];
    ref.dims.push_back({extent, stride});
    packed = extent * stride;
  }
  std::reverse(ref.dims.begin(), ref.dims.end());
  return ref;
}

static std::string requestText(int32_t request) {
  return "request " + std::to_string(request);
}

std::optional<BufferConflict> BufferTracking::access(const BufferRef &ref,
                                                     bool writes) const {
  const Allocation &allocation = allocations[ref.allocation];
  if (allocation.freedBy)
    return BufferConflict{writes ? "writes a buffer that has been freed"
                                 : "reads a buffer that has been freed",
                          allocation.freedBy, "is freed here"};
  for (const auto &[request, flight] : flights) {
    auto meets = [&](const BufferRef &other) { return overlaps(ref, other); };
    std::string started = "starts " + requestText(request);
    if (llvm::any_of(flight.targets, meets))
      return BufferConflict{
          (writes ? "writes" : "reads") + std::string(" a buffer in flight: ") +
              requestText(request) + " receives into it until it is waited for",
          flight.op, started};
    if (writes && llvm::any_of(flight.sources, meets))
      return BufferConflict{
          "writes a buffer in flight: " + requestText(request) +
              " sends it until it is waited for",
          flight.op, started};
  }
  return std::nullopt;
}

std::optional<BufferConflict>
BufferTracking::release(const BufferRef &ref, Operation *op, bool forSure) {
  Allocation &allocation = allocations[ref.allocation];
  if (allocation.freedBy)
    return BufferConflict{"frees a buffer that has been freed",
                          allocation.freedBy, "is freed here"};
  for (const auto &[request, flight] : flights) {
    auto same = [&](const BufferRef &other) {
      return other.allocation == ref.allocation;
    };
    if (llvm::any_of(flight.sources, same) ||
        llvm::any_of(flight.targets, same))
      return BufferConflict{"frees a buffer in flight: " +
                                requestText(request) + " is not waited for",
                            flight.op, "starts " + requestText(request)};
  }
  if (forSure)
    allocation.freedBy = op;
  return std::nullopt;
}
