//===- DocumentCheck.cpp - Checks of documents ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// A host checks at once; for a device it is enqueued, where its values come.
void CallBuilder::checkDocuments(CheckDocumentsOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  ArrayRef<int64_t> shape =
      cast<MemRefType>(op.getValues().getType()).getShape();
  int64_t sequences = 1;
  for (int64_t extent : shape.drop_back())
    sequences *= extent;
  Value where = target == CallTarget::Device
                    ? stream(b, loc, b.getArrayAttr({}))
                    : LLVM::ZeroOp::create(
                          b, loc, LLVM::LLVMPointerType::get(b.getContext()))
                          .getResult();
  call(b, loc, "mercury_check_documents", {},
       ValueRange{context, where, pointer(b, loc, op.getValues()),
                  i64(b, loc, sequences), i64(b, loc, shape.back()),
                  i64(b, loc, op.getKeys().value_or(-1)),
                  i32(b, loc, op.getSegments()), text(b, loc, describe(op))});
}
