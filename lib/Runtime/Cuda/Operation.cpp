//===- Operation.cpp - What communication calls ask for -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace mercury::cuda;

Label Operation::label() const {
  Label label;
  label.kind = kind;
  label.bytes = bytes();
  label.peer = peer;
  label.team = comm->team;
  return label;
}
