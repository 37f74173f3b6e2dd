//===- mercury-translate.cpp - Files of other tools -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/InitAll.h"
#include "Mercury/Target/Topology/Translate.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mercury::registerTopologyTranslations(mercury::registerAllDialects);
  return failed(mlir::mlirTranslateMain(
      argc, argv, "Mercury's translations from and to other formats\n"));
}
