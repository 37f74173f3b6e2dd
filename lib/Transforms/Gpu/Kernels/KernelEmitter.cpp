//===- KernelEmitter.cpp - Who writes device code -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

using namespace mercury;

llvm::ArrayRef<const KernelEmitter *> mercury::kernelEmitters() {
  static const KernelEmitter *const emitters[] = {
      &contractionEmitter(),
      &attentionEmitter(),
      &attentionRowsEmitter(),
      &elementwiseEmitter(),
  };
  return emitters;
}
