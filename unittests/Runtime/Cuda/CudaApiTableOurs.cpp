//===- CudaApiTableOurs.cpp - Tables of our declarations ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasLtApi.h"
#include "DriverApi.h"

#include "CudaApiTable.inc"

ApiTable mercury::test::driverTableOurs() { return makeDriverTable(); }
ApiTable mercury::test::cublasLtTableOurs() { return makeCublasLtTable(); }
