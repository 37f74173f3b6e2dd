//===- Reshards.cpp - Every placement to every other ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm-project#128798 and its kin: all pairs of placements of a matrix, extents
// that do not divide included; openxla/xla#40034: partial sums to every
// placement.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include <gtest/gtest.h>

using namespace mercury;
using namespace mercury::test;

/// All placements of a matrix over two axes, both orders where they share a
/// dimension.
static std::vector<Placement> allPlacements(const AxisRef &a,
                                            const AxisRef &b) {
  std::vector<Placement> all;
  for (int da = -1; da < 2; ++da)
    for (int db = -1; db < 2; ++db) {
      Placement placement = Placement::replicated(2);
      if (da >= 0)
        placement.dims[da].push_back(a);
      if (db >= 0)
        placement.dims[db].push_back(b);
      all.push_back(placement);
      if (da >= 0 && da == db) {
        std::swap(placement.dims[da][0], placement.dims[da][1]);
        all.push_back(placement);
      }
    }
  return all;
}

static std::string attribute(const Placement &placement) {
  return "{commir.placement = #commir.placement<" + print(placement) + ">}";
}

static void allPairs(const std::string &topology, const AxisRef &a,
                     const AxisRef &b, const std::string &type) {
  for (const Placement &from : allPlacements(a, b))
    for (const Placement &to : allPlacements(a, b)) {
      Program program("func.func @move(%x: " + type + " " + attribute(from) +
                          ") -> (" + type + " " + attribute(to) + ") {\n" +
                          "  %e = tensor.empty() : " + type + "\n" +
                          "  %y = linalg.negf ins(%x : " + type +
                          ") outs(%e : " + type + ") -> " + type +
                          "\n  return %y : " + type + "\n}\n",
                      11);
      EXPECT_EQ(program.runOnRanks("default", topology), "")
          << print(from) << " to " << print(to) << " of " << type << " on "
          << topology;
    }
}

TEST(Reshards, TwoLevels) {
  allPairs("node=2,gpu=2", {"node", 1, 0}, {"gpu", 1, 0}, "tensor<8x4xf32>");
  allPairs("node=2,gpu=3", {"node", 1, 0}, {"gpu", 1, 0}, "tensor<7x5xf32>");
}

TEST(Reshards, SubAxes) {
  allPairs("gpu=4", {"gpu", 1, 2}, {"gpu", 2, 2}, "tensor<6x9xf32>");
}

/// Every order of rows under every distribution to every other.
static void allOrders(const std::string &topology,
                      const std::vector<std::string> &axes, int64_t rows) {
  std::vector<std::string> placements;
  for (const char *order : {"", " zigzag 4", " striped 4 by 1",
                            " striped 2 by 2", " table [2, 0, 3, 1]"})
    for (const std::string &over : axes) {
      auto [first, second] = std::pair(over.substr(0, over.find('|')),
                                       over.substr(over.find('|') + 1));
      placements.push_back("[{" + first + "}" + order + ", {" + second + "}]");
    }
  std::string type = "tensor<" + std::to_string(rows) + "x4xf32>";
  for (const std::string &from : placements) {
    std::string types = type, body, values;
    for (size_t i = 0; i < placements.size(); ++i) {
      std::string name = "%r" + std::to_string(i);
      body += "  " + name + " = commir.reshard %s to " + placements[i] + " : " +
              type + "\n";
      values += (i ? ", " : "") + name;
      types += i ? ", " + type : "";
    }
    Program program("func.func @move(%x: " + type + ") -> (" + types +
                        ") {\n  %s = commir.shard %x to " + from + " : " +
                        type + "\n" + body + "  return " + values + " : " +
                        types + "\n}\n",
                    17);
    EXPECT_EQ(program.runOnRanks("", topology), "")
        << from << " of " << type << " on " << topology;
  }
}

TEST(Reshards, Orders) {
  for (int64_t rows : {16, 13}) {
    allOrders("gpu=4", {"|", "gpu|", "|gpu"}, rows);
    allOrders("node=2,gpu=2", {"node, gpu|", "gpu, node|", "node|gpu", "gpu|"},
              rows);
  }
}

TEST(Reshards, PartialSums) {
  // The sum over rows, which both axes hold in parts, to every placement.
  AxisRef node{"node", 1, 0}, gpu{"gpu", 1, 0};
  for (const Placement &to : allPlacements(node, gpu)) {
    std::string result = "tensor<5x6xf32>";
    Program program(
        "func.func @sum(%x: tensor<8x5x6xf32> {commir.placement = "
        "#commir.placement<[{node, gpu}, {}, {}]>}) -> (" +
            result + " " + attribute(to) + ") {\n" +
            "  %z = arith.constant 0.0 : f32\n  %e = tensor.empty() : " +
            result + "\n  %i = linalg.fill ins(%z : f32) outs(%e : " + result +
            ") -> " + result +
            "\n  %y = linalg.reduce { arith.addf } ins(%x : tensor<8x5x6xf32>) "
            "outs(%i : " +
            result + ") dimensions = [0]\n  return %y : " + result + "\n}\n",
        13);
    EXPECT_EQ(program.runOnRanks("default", "node=2,gpu=2"), "") << print(to);
  }
}
