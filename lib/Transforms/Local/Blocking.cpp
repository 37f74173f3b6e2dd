//===- Blocking.cpp - Block sizes of a contraction ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocking.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace mercury {
namespace {
using Role = Contraction::Role;
using Pack = Blocking::Pack;

struct Host {
  unsigned vectorBits = 128;
  bool fma = false;
};

/// The machine that compiles, which is the one that runs.
const Host &host() {
  static const Host host = [] {
    Host result;
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    if (features.lookup("avx512f"))
      result.vectorBits = 512;
    else if (features.lookup("avx"))
      result.vectorBits = 256;
    result.fma = features.lookup("fma") || features.lookup("neon");
    return result;
  }();
  return host;
}

/// The largest divisor of `block` that is at most `most`; a multiple of `unit`
/// where there is one.
int64_t divide(int64_t block, int64_t most, int64_t unit) {
  for (int64_t size = most / unit * unit; size > 0; size -= unit)
    if (block % size == 0)
      return size;
  int64_t size = std::min(block, most);
  while (block % size != 0)
    --size;
  return size;
}

/// The last loop of A if it is a reduction, else that of B, else the largest.
unsigned chooseReduction(const Contraction &contraction) {
  for (const Contraction::Operand *operand : {&contraction.a, &contraction.b})
    if (auto loop = operand->lastLoop();
        loop && contraction.roles[*loop] == Role::K)
      return *loop;
  return *contraction.largestLoop(Role::K);
}

/// Packing pays where an element is read often enough, and is needed where the
/// kernel's loads would not be contiguous.
Pack choosePackB(const Contraction &contraction, const Blocking &blocking) {
  if (contraction.b.lastLoop() == blocking.nLoop)
    return contraction.extentOf(Role::M) > blocking.mr ? Pack::Vector
                                                       : Pack::None;
  return contraction.b.lastLoop() == blocking.kLoop ? Pack::Turned
                                                    : Pack::Scalar;
}

/// True if the rows of A that the kernel reads together fall into the same few
/// sets of a cache.
bool rowsCollide(const Contraction &contraction, const Blocking &blocking) {
  std::optional<unsigned> dim = contraction.a.dimOf(*blocking.mLoop);
  auto type = cast<ShapedType>(contraction.a.value.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t extent : type.getShape().drop_front(*dim + 1))
    bytes *= extent;
  return bytes % 4096 == 0;
}

Pack choosePackA(const Contraction &contraction, const Blocking &blocking) {
  std::optional<unsigned> last = contraction.a.lastLoop();
  bool converts = contraction.a.element() != contraction.c.element();
  // Each element is read once per panel of columns.
  bool isReused = contraction.extentOf(Role::N) > 4 * blocking.nr;
  if (!blocking.mLoop || contraction.extentOf(Role::M) < blocking.mr)
    return Pack::None;
  if (last == blocking.kLoop)
    return isReused && (converts || rowsCollide(contraction, blocking))
               ? Pack::Turned
               : Pack::None;
  if (!isReused)
    return Pack::None;
  return last == blocking.mLoop ? Pack::Vector : Pack::Scalar;
}
} // namespace

RegisterBlock chooseRegisterBlock(unsigned bits, unsigned vectorBits) {
  if (!vectorBits)
    vectorBits = host().vectorBits;
  int64_t lanes = vectorBits / bits;
  // AVX-512 has 32 registers: 12 x 2 accumulators and room to load ahead. AVX2
  // has 16: 6 x 2, two for B and one for A.
  int64_t mr = vectorBits >= 512 ? 12 : vectorBits >= 256 ? 6 : 4;
  return {lanes, mr, 2 * lanes, vectorBits >= 256 || host().fma};
}

std::optional<Blocking> chooseBlocking(Contraction &contraction,
                                       const BlockingOptions &options,
                                       ArrayRef<int64_t> tile) {
  std::optional<unsigned> last = contraction.c.lastLoop();
  if (!last || contraction.roles[*last] == Role::Batch)
    return std::nullopt;
  if (contraction.roles[*last] == Role::M)
    contraction.swapInputs();

  Blocking result;
  result.nLoop = *last;
  result.mLoop = contraction.largestLoop(Role::M);
  result.kLoop = chooseReduction(contraction);
  RegisterBlock registers = chooseRegisterBlock(
      contraction.c.element().getIntOrFloatBitWidth(), options.vectorBits);
  result.fma = registers.fma;
  result.lanes = registers.lanes;
  result.nr = registers.nr;
  result.mr = options.registerM ? options.registerM : registers.mr;
  auto asked = [&](std::optional<unsigned> loop) {
    return loop && !tile.empty() ? tile[*loop] : 0;
  };
  int64_t askedM = asked(result.mLoop), askedN = asked(result.nLoop),
          askedK = asked(result.kLoop);
  // Register blocks divide the blocks that are asked for.
  if (askedM)
    result.mr = divide(askedM, result.mr, 1);
  if (askedN)
    result.nr = divide(askedN, result.nr, result.lanes);
  int64_t n = contraction.extents[result.nLoop];
  int64_t m = result.mLoop ? contraction.extents[*result.mLoop] : 1;
  int64_t k = contraction.extents[result.kLoop];
  ContractionBlockSizes chosen;
  result.kc = balanceBlock(k, options.blockK ? options.blockK : chosen.depth,
                           result.nr);
  result.nc = balanceBlock(n, options.blockN ? options.blockN : chosen.columns,
                           result.nr);
  result.mc =
      balanceBlock(m, options.blockM ? options.blockM : chosen.rows, result.mr);
  if (askedM)
    result.mc = askedM;
  if (askedN)
    result.nc = askedN;
  if (askedK && askedK < k) // else one block, with room to round up
    result.kc = askedK;
  else if (askedK)
    result.kc = llvm::alignTo(k, result.nr);
  result.packB = choosePackB(contraction, result);
  result.packA = choosePackA(contraction, result);
  // What turns squares reads and writes whole ones.
  if (result.packB == Pack::Turned &&
      (result.nr % result.lanes != 0 || result.kc % result.lanes != 0))
    result.packB = Pack::Scalar;
  if (result.packA == Pack::Turned && result.kc % result.nr != 0)
    result.packA = Pack::Scalar;
  return result;
}

} // namespace mercury
