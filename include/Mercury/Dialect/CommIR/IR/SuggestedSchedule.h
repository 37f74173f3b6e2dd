//===- SuggestedSchedule.h - A schedule that a function suggests -*- C++
//-*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_IR_SUGGESTEDSCHEDULE_H
#define MERCURY_DIALECT_COMMIR_IR_SUGGESTEDSCHEDULE_H

#include "llvm/ADT/StringRef.h"

namespace mercury::commir {

/// On a function: the name or the text of the schedule that its contractions
/// get where no other is asked for.
inline constexpr llvm::StringLiteral kSuggestedScheduleAttrName =
    "commir.suggested_schedule";

} // namespace mercury::commir

#endif // MERCURY_DIALECT_COMMIR_IR_SUGGESTEDSCHEDULE_H
