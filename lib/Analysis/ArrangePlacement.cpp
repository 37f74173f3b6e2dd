//===- ArrangePlacement.cpp - Placements across arrangements --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/ArrangePlacement.h"

using namespace mercury;
using namespace mercury::commir;

ArrangedPlacement mercury::arrangedPlacement(ArrangeOp arrange,
                                             const Placement &placement,
                                             const TopologyModel &topology) {
  size_t dim = arrange.getDimAttr().getInt();
  TokenOrderAttr order = arrange.getOrder();
  Placement natural = placement;
  // Blocks of a padded extent would be blocks of another order.
  if (order.getExtent() % topology.sizeOf(natural.dims[dim]) != 0)
    natural.dims[dim].clear();
  natural.setOrder(dim, TokenOrder());
  Placement ordered = natural;
  ordered.setOrder(dim, order.getValue());
  if (arrange.getBack())
    return {natural, ordered};
  return {ordered, natural};
}
