//===- NcclTableTheirs.cpp - The table of the true nccl.h -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <nccl.h>

#include "NcclTable.h"

#include "NcclTable.inc"

mercury::test::NcclTable mercury::test::ncclTableTheirs() {
  return makeTable();
}
