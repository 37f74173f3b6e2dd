//===- CudaApiTableTheirs.cpp - Tables of the true headers ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cublasLt.h>
#include <cuda.h>

#include "CudaApiTable.inc"

ApiTable mercury::test::driverTableTheirs() { return makeDriverTable(); }
ApiTable mercury::test::cublasLtTableTheirs() { return makeCublasLtTable(); }
