//===- WithMask.h - Attention under a mask ----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_INTEGRATION_WITHMASK_H
#define MERCURY_UNITTESTS_INTEGRATION_WITHMASK_H

#include <string>

namespace mercury::test {

/// The attention that `text` has, under a mask: `right 0`, for example.
inline std::string withMask(std::string text, const std::string &visible) {
  return text.insert(text.find("outs("), "visible <" + visible + "> ");
}

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_INTEGRATION_WITHMASK_H
