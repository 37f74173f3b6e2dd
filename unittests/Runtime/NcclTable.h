//===- NcclTable.h - Values, sizes and signatures of the ABI ----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_RUNTIME_NCCLTABLE_H
#define MERCURY_UNITTESTS_RUNTIME_NCCLTABLE_H

#include <map>
#include <string>

namespace mercury::test {

/// Names of the ABI with their values, sizes or types as text.
using NcclTable = std::map<std::string, std::string>;

/// The table of mercury_nccl.h.
NcclTable ncclTableOurs();

/// The table of the true nccl.h; defined only where that is present.
NcclTable ncclTableTheirs();

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_RUNTIME_NCCLTABLE_H
