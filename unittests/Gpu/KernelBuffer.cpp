//===- KernelBuffer.cpp - Memory that a kernel is given -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuffer.h"
#include "Signature.h"

#include "llvm/Support/ErrorHandling.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

static constexpr int64_t kGuardBytes = 4096;

/// Makes 0xffa5 and 0xffa5ffa5: arithmetic gives a quiet one, which is another.
static char patternAt(const char *address) {
  return reinterpret_cast<uintptr_t>(address) % 2 ? '\xff' : '\xa5';
}

static run::ElementKind kindOf(Type type) {
  return llvm::cantFail(run::specOf(type, "an element")).element;
}

KernelBuffer::KernelBuffer(MemRefType type, int64_t alignment)
    : memref(type), kind(kindOf(type.getElementType())), alignment(alignment) {
  strides = type.getStridesAndOffset().first;
  int64_t last = 0;
  for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides))
    last += (extent - 1) * stride;
  int64_t bytes = (last + 1) * run::elementBytes(kind);
  memory.resize(bytes + 2 * kGuardBytes + 2 * alignment);
  auto first = reinterpret_cast<uintptr_t>(memory.data());
  uintptr_t start = llvm::alignTo(first + kGuardBytes, 2 * alignment);
  base = memory.data() + (start - first) + alignment;
  for (char &byte : memory)
    byte = patternAt(&byte);
}

KernelBuffer::KernelBuffer(const KernelBuffer &other)
    : KernelBuffer(other.memref, other.alignment) {
  // The base may lie elsewhere in it.
  size_t behind =
      std::min(memory.data() + memory.size() - base,
               other.memory.data() + other.memory.size() - other.base);
  std::memcpy(base, other.base, behind);
}

char *KernelBuffer::element(int64_t number) const {
  int64_t offset = 0;
  for (int64_t dim = memref.getRank(); dim-- > 0;) {
    offset += number % memref.getDimSize(dim) * strides[dim];
    number /= memref.getDimSize(dim);
  }
  return base + offset * static_cast<int64_t>(run::elementBytes(kind));
}

double KernelBuffer::get(int64_t number) const {
  return run::loadElement(kind, element(number));
}

void KernelBuffer::set(int64_t number, double value) {
  run::storeElement(kind, element(number), value);
}

void KernelBuffer::fill(double value) {
  for (int64_t i = 0; i < size(); ++i)
    set(i, value);
}

int64_t KernelBuffer::numberOf(ArrayRef<int64_t> indices) const {
  int64_t number = 0;
  for (auto [index, extent] : llvm::zip_equal(indices, memref.getShape()))
    number = number * extent + index;
  return number;
}

double KernelBuffer::at(ArrayRef<int64_t> indices) const {
  return get(numberOf(indices));
}

bool KernelBuffer::isIntact() const {
  std::vector<bool> isElement(memory.size());
  for (int64_t i = 0; i < size(); ++i) {
    auto first = isElement.begin() + (element(i) - memory.data());
    std::fill(first, first + run::elementBytes(kind), true);
  }
  for (size_t i = 0; i < memory.size(); ++i)
    if (!isElement[i] && memory[i] != patternAt(&memory[i]))
      return false;
  return true;
}

bool KernelBuffer::operator==(const KernelBuffer &other) const {
  for (int64_t i = 0; i < size(); ++i)
    if (std::memcmp(element(i), other.element(i), run::elementBytes(kind)))
      return false;
  return true;
}

std::vector<int64_t> KernelBuffer::descriptor() const {
  auto address = reinterpret_cast<int64_t>(base);
  std::vector<int64_t> words{address, address, 0};
  llvm::append_range(words, memref.getShape());
  llvm::append_range(words, strides);
  return words;
}

double mercury::test::relativeNorm(const KernelBuffer &actual,
                                   const KernelBuffer &expected) {
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double a = actual.get(i), e = expected.get(i);
    if (a == e || (std::isnan(a) && std::isnan(e))) {
      norm += std::isfinite(e) ? e * e : 0;
      continue;
    }
    if (!std::isfinite(a) || !std::isfinite(e))
      return std::numeric_limits<double>::infinity();
    difference += (a - e) * (a - e);
    norm += e * e;
  }
  if (difference == 0)
    return 0;
  return std::sqrt(difference / norm);
}
