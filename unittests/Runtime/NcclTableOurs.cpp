//===- NcclTableOurs.cpp - The table of mercury_nccl.h --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Runtime/mercury_nccl.h"

#include "NcclTable.h"

#include "NcclTable.inc"

mercury::test::NcclTable mercury::test::ncclTableOurs() { return makeTable(); }
