//===- Experiments.cpp - The published experiments ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Experiments.h"

using namespace mercury;
using namespace mercury::paper;

const std::vector<const Experiment *> &mercury::paper::experiments() {
  static const std::vector<const Experiment *> all = {
      &operatorsExperiment, &topologiesExperiment, &lengthsExperiment,
      &paretoExperiment};
  return all;
}

bool mercury::paper::print(llvm::raw_ostream &os, const Experiment &experiment,
                           const Settings &settings, std::string &error) {
  os << "(" << experiment.name << ") " << experiment.title
     << ": predicted by the model\n    published (measured): "
     << experiment.claim << "\n";
  return experiment.print(os, settings, error);
}
