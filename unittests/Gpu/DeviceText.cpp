//===- DeviceText.cpp - Device code written by hand -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceText.h"

using namespace mercury::test;

std::string mercury::test::deviceText(const std::string &arguments,
                                      const std::string &shared,
                                      const std::string &grid,
                                      const std::string &block,
                                      const std::string &body) {
  std::string text = "module attributes {gpu.container_module} {\n"
                     "  gpu.module @kernels {\n    gpu.func @k(" +
                     arguments + ")" +
                     (shared.empty() ? "" : " workgroup(" + shared + ")") +
                     " kernel attributes {commir.kernel, "
                     "known_grid_size = array<i32: " +
                     grid + ">, known_block_size = array<i32: " + block +
                     ">} {\n" + body + "      gpu.return\n    }\n  }\n}\n";
  for (size_t at; (at = text.find("$S")) != std::string::npos;)
    text.replace(at, 2, "#gpu.address_space<workgroup>");
  return text;
}

std::string mercury::test::blockSum(int missing) {
  std::string body = R"(
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %x = memref.load %in[%b, %t] : memref<6x128xf32>
      memref.store %x, %w[%t] : memref<128xf32, $S>
)";
  int barrier = 0;
  auto synchronize = [&] {
    if (barrier++ != missing)
      body += "      gpu.barrier\n";
  };
  synchronize();
  for (int half = 64; half; half /= 2) {
    std::string h = std::to_string(half);
    body += "      %c" + h + " = arith.constant " + h + " : index\n      %is" +
            h + " = arith.cmpi slt, %t, %c" + h + " : index\n      scf.if %is" +
            h + " {\n        %o = arith.addi %t, %c" + h + R"( : index
        %l = memref.load %w[%t] : memref<128xf32, $S>
        %r = memref.load %w[%o] : memref<128xf32, $S>
        %s = arith.addf %l, %r : f32
        memref.store %s, %w[%t] : memref<128xf32, $S>
      }
)";
    synchronize();
  }
  body += R"(
      %y = memref.load %w[%c0] : memref<128xf32, $S>
      memref.store %y, %out[%b] : memref<6xf32>
)";
  // Of all threads only the first may write the sum.
  size_t last = body.rfind("      memref.store");
  body.insert(last, "      %first = arith.cmpi eq, %t, %c0 : index\n"
                    "      scf.if %first {\n");
  body += "      }\n";
  return deviceText("%in: memref<6x128xf32>, %out: memref<6xf32>",
                    "%w: memref<128xf32, $S>", "6, 1, 1", "128, 1, 1", body);
}

void mercury::test::sumRows(KernelArguments &arguments) {
  for (int64_t i = 0; i < 6; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < 128; ++j)
      sum += arguments[0]->at({i, j});
    arguments[1]->set(i, sum);
  }
}
