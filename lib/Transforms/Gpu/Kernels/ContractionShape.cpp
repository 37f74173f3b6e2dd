//===- ContractionShape.cpp - A contraction of strided buffers ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionShape.h"

#include "KernelConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mercury;

using Shape = StridedContraction;
using Role = Contraction::Role;

static constexpr int64_t kVectorBytes = 16;
static constexpr Role kRoles[] = {Role::Batch, Role::M, Role::N, Role::K};

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

int64_t Shape::extent(Role role) const {
  int64_t product = 1;
  for (const Axis &axis : axes(role))
    product *= axis.extent;
  return product;
}

void Shape::swapInputs() {
  std::swap(buffers[A], buffers[B]);
  std::swap(axes(Role::M), axes(Role::N));
  for (Role role : kRoles)
    for (Axis &axis : axes(role))
      std::swap(axis.strides[A], axis.strides[B]);
}

bool Shape::isEmpty() const {
  return llvm::any_of(kRoles, [&](Role role) { return extent(role) == 0; });
}

std::optional<int64_t> Shape::innerStride(Operand operand, Role role) const {
  if (axes(role).empty())
    return std::nullopt;
  return axes(role).back().strides[operand];
}

int64_t Shape::vectorWidth(Operand operand, Role role) const {
  if (innerStride(operand, role) != 1)
    return 1;
  const Buffer &buffer = buffers[operand];
  int64_t bytes = bytesOf(buffer.element), width = kVectorBytes / bytes;
  auto fits = [&](int64_t candidate) {
    if (buffer.alignment % (candidate * bytes) != 0 ||
        axes(role).back().extent % candidate != 0)
      return false;
    for (Role other : kRoles) {
      ArrayRef<Axis> outer = axes(other);
      if (other == role)
        outer = outer.drop_back();
      for (const Axis &axis : outer)
        if (axis.strides[operand] % candidate != 0)
          return false;
    }
    return true;
  };
  while (!fits(width))
    width /= 2;
  return width;
}

namespace {
/// The stride of each dimension; nothing unless they are known, and none is
/// negative, and the first element is the first in memory.
std::optional<SmallVector<int64_t>> staticStrides(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape())
    return std::nullopt;
  // No element, no strides that MLIR would tell.
  if (type.getNumElements() == 0)
    return SmallVector<int64_t>(type.getRank(), 1);
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return std::nullopt;
  for (int64_t stride : strides)
    if (ShapedType::isDynamic(stride) || stride < 0)
      return std::nullopt;
  return strides;
}

bool isDeviceFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

/// Bytes that the address of `buffer` in `kernel` is known to be a multiple of.
int64_t alignmentOf(func::FuncOp kernel, Value buffer) {
  int64_t bytes = bytesOf(getElementTypeOrSelf(buffer));
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto known = kernel.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName());
    return known ? std::max(bytes, known.getInt()) : bytes;
  }
  auto name = buffer.getDefiningOp<memref::GetGlobalOp>();
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      kernel, name.getNameAttr());
  return std::max<int64_t>(bytes, global.getAlignment().value_or(1));
}

/// The buffer that `operand` is; adds to `strides` what each of `loops` moves
/// in it.
FailureOr<Shape::Buffer> matchBuffer(func::FuncOp kernel,
                                     const Contraction::Operand &operand,
                                     unsigned loops,
                                     SmallVectorImpl<int64_t> &strides,
                                     std::string *reason) {
  Value value = operand.value;
  auto fail = [&](StringRef why) {
    if (reason)
      llvm::raw_string_ostream(*reason)
          << "'" << value.getType() << "' " << why;
    return failure();
  };
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return fail("is no memref");
  std::optional<SmallVector<int64_t>> ofDims = staticStrides(type);
  if (!ofDims)
    return fail("has no static strides");
  if (!isDeviceFloat(type.getElementType()))
    return fail("is not of f16 to f64");
  for (unsigned loop = 0; loop != loops; ++loop) {
    std::optional<unsigned> dim = operand.dimOf(loop);
    strides.push_back(dim ? (*ofDims)[*dim] : 0);
  }
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), *ofDims))
    span += std::max<int64_t>(size - 1, 0) * stride;
  return Shape::Buffer{value, type.getElementType(), alignmentOf(kernel, value),
                       span};
}

/// Puts the loop with the least stride last, and makes one axis of neighbours
/// that step through every operand as one.
void collapse(SmallVectorImpl<Shape::Axis> &axes) {
  auto key = [](const Shape::Axis &axis) {
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int64_t stride : axis.strides)
      if (stride != 0)
        least = std::min(least, stride);
    // C decides between equals: it is both read and written.
    return std::make_tuple(least, axis.strides[Shape::C],
                           axis.strides[Shape::A], axis.strides[Shape::B],
                           axis.extent);
  };
  llvm::sort(axes, [&](const Shape::Axis &x, const Shape::Axis &y) {
    return key(x) > key(y);
  });
  SmallVector<Shape::Axis> merged;
  for (const Shape::Axis &axis : axes) {
    auto continues = [&](const Shape::Axis &outer) {
      for (auto [outerStride, stride] : llvm::zip(outer.strides, axis.strides))
        if (outerStride != stride * axis.extent)
          return false;
      return true;
    };
    if (!merged.empty() && continues(merged.back()))
      merged.back() = {merged.back().extent * axis.extent, axis.strides};
    else
      merged.push_back(axis);
  }
  axes.assign(merged);
}
} // namespace

FailureOr<Shape> mercury::matchStridedContraction(func::FuncOp kernel,
                                                  std::string *reason) {
  auto fail = [&](const Twine &why) {
    if (reason)
      *reason = why.str();
    return failure();
  };
  Operation *only = nullptr;
  for (Operation &inside : kernel.front().without_terminator()) {
    if (isKernelConstant(&inside))
      continue;
    if (only)
      return fail("it is not one op");
    only = &inside;
  }
  auto op = dyn_cast_or_null<linalg::LinalgOp>(only);
  if (!op)
    return fail("it is not a linalg op");
  FailureOr<Contraction> contraction = matchContraction(op, reason);
  if (failed(contraction))
    return failure();

  Shape shape;
  std::array<SmallVector<int64_t>, 3> strides; // of each loop
  const Contraction::Operand *operands[] = {&contraction->a, &contraction->b,
                                            &contraction->c};
  for (auto [number, operand] : llvm::enumerate(operands)) {
    FailureOr<Shape::Buffer> buffer = matchBuffer(
        kernel, *operand, contraction->extents.size(), strides[number], reason);
    if (failed(buffer))
      return failure();
    shape.buffers[number] = *buffer;
  }
  auto &[a, b, c] = shape.buffers;
  if (c.value == a.value || c.value == b.value)
    return fail("its output is an input");
  shape.accumulator = c.element.isF64()
                          ? FloatType(Float64Type::get(op.getContext()))
                          : Float32Type::get(op.getContext());
  for (auto [loop, extent] : llvm::enumerate(contraction->extents)) {
    if (extent == 1)
      continue;
    Role role = contraction->roles[loop];
    if (role != Role::K && strides[Shape::C][loop] == 0)
      return fail("elements of its output share their place");
    shape.axes(role).push_back(
        {extent,
         {strides[Shape::A][loop], strides[Shape::B][loop],
          strides[Shape::C][loop]}});
  }
  for (Role role : kRoles)
    collapse(shape.axes(role));
  if (shape.innerStride(Shape::C, Role::M) == 1)
    shape.swapInputs();
  return shape;
}

Value mercury::createIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value mercury::createOffset(ImplicitLocOpBuilder &b, const Shape &shape,
                            Shape::Operand operand, Role role, Value index) {
  Value offset;
  ArrayRef<Shape::Axis> axes = shape.axes(role);
  for (size_t i = axes.size(); i-- > 0;) {
    Value digit = index, extent = createIndex(b, axes[i].extent);
    if (i != 0) {
      digit = b.createOrFold<arith::RemUIOp>(index, extent);
      index = b.createOrFold<arith::DivUIOp>(index, extent);
    }
    Value term = b.createOrFold<arith::MulIOp>(
        digit, createIndex(b, axes[i].strides[operand]));
    offset = offset ? b.createOrFold<arith::AddIOp>(offset, term) : term;
  }
  return offset ? offset : createIndex(b, 0);
}
