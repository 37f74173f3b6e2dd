//===- Operation.cpp - What communication calls ask for -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace mercury::cuda;
using mercury::host::format;
using mercury::host::Kind;

Label Operation::label() const {
  Label label;
  label.kind = kind;
  label.bytes = bytes();
  label.peer = peer;
  label.team = comm->team;
  return label;
}

std::string mercury::cuda::problem(const Operation &operation) {
  const char *name = host::nameOf(operation.kind);
  if (!operation.comm)
    return format("%s without a communicator", name);
  if (operation.kind == Kind::Split) {
    if (!operation.newComm)
      return "split without a place for the new communicator";
    if (operation.color < -1)
      return format("split with color %d, expected -1 (no part) or more",
                    operation.color);
    return "";
  }
  const Team &team = *operation.comm->team;
  size_t width = host::sizeOf(operation.type);
  if (width == 0)
    return format("%s of unknown data type %d", name,
                  static_cast<int>(operation.type));
  if (operation.count > SIZE_MAX / width / team.size())
    return format("%s of %zu elements exceeds the address space", name,
                  operation.count);
  bool isRooted =
      operation.isPointToPoint() || operation.kind == Kind::Broadcast;
  if (isRooted && (operation.peer < 0 || operation.peer >= team.size()))
    return format("%s: %s %d is not a rank of communicator '%s' of size %d",
                  name, operation.kind == Kind::Broadcast ? "root" : "peer",
                  operation.peer, team.name.c_str(), team.size());
  bool reduces = operation.kind == Kind::AllReduce ||
                 operation.kind == Kind::ReduceScatter;
  if (reduces &&
      (operation.reduction < ncclSum || operation.reduction > ncclMin))
    return format("%s with unsupported reduction %d (%s)", name,
                  static_cast<int>(operation.reduction),
                  host::nameOf(operation.reduction));
  bool reads =
      operation.kind != Kind::Recv && (operation.kind != Kind::Broadcast ||
                                       operation.peer == operation.comm->rank);
  bool writes = operation.kind != Kind::Send;
  if (operation.count > 0 &&
      ((reads && !operation.source) || (writes && !operation.destination)))
    return format("%s of %zu elements with a NULL buffer", name,
                  operation.count);
  return "";
}
