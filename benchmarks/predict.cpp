//===- predict.cpp - The model against published measurements -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "predict/Calibration.h"
#include "predict/Methods.h"

#include <cstdio>
#include <cstring>

using namespace mercury::predict;

int main(int argc, char **argv) {
  std::string data = MERCURY_DATA_DIR;
  bool all = false, rates = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strncmp(argv[i], "--data=", 7))
      data = argv[i] + 7;
    else if (!std::strcmp(argv[i], "--all"))
      all = true;
    else if (!std::strcmp(argv[i], "--rates"))
      rates = true;
    else {
      std::fprintf(stderr,
                   "unknown option '%s'\n"
                   "  --data=DIR  the folder with published-numbers.csv "
                   "(default '%s')\n"
                   "  --all       every row, not only the worst\n"
                   "  --rates     print the fitted rates of kernels only\n",
                   argv[i], MERCURY_DATA_DIR);
      return 1;
    }
  }
  std::string error;
  auto rows = readRows(data + "/published-numbers.csv", error);
  if (!rows) {
    std::fprintf(stderr, "%s (--data=DIR says where the data are)\n",
                 error.c_str());
    return 1;
  }
  std::map<size_t, std::string> reasons;
  std::vector<Sample> samples = samplesOf(*rows, data, reasons);
  if (rates) {
    printRates(samples);
    return 0;
  }
  printCalibration(samples, all);
  printMethods(*rows, all, reasons);
  printReasons(*rows, reasons);
  return 0;
}
