//===- Chip.cpp - What a GPU offers to a kernel ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Gpu/Chip.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mercury;

/// Least versions: NVPTX.td of LLVM 22, which also has none above 9.0.
static constexpr Chip kChips[] = {{"sm_80", 80, 70, "+ptx80"},
                                  {"sm_89", 89, 78, "+ptx80"},
                                  {"sm_90a", 90, 80, "+ptx80"},
                                  {"sm_100", 100, 86, "+ptx86"}};
static constexpr int kLastPtx = 90;

ArrayRef<Chip> mercury::knownChips() { return kChips; }

Expected<Chip> mercury::findChip(StringRef name) {
  SmallVector<StringRef> names;
  for (const Chip &chip : kChips) {
    if (chip.name == name)
      return chip;
    names.push_back(chip.name);
  }
  return createStringError("chip '" + name + "' is not one of " +
                           join(names, ", "));
}

Error mercury::checkFeatures(const Chip &chip, StringRef features) {
  int version = 0;
  bool isVersion = StringRef(features).consume_front("+ptx") &&
                   !features.drop_front(4).getAsInteger(10, version);
  if (!isVersion)
    return createStringError("features '" + features +
                             "' are not a version of PTX, as +ptx80");
  if (version < chip.leastPtx || version > kLastPtx)
    return createStringError("features '" + features + "' do not suit chip '" +
                             chip.name + "', which takes +ptx" +
                             Twine(chip.leastPtx) + " to +ptx" +
                             Twine(kLastPtx));
  return Error::success();
}
