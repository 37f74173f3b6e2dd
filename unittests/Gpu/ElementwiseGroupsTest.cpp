//===- ElementwiseGroupsTest.cpp - Random groups of ops on GPUs -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of random ops on random buffers of integers, so that results are
// exact in any order, against plain loops. An op that does not fit the group so
// far is left out.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace mercury::test;

namespace {
struct Buffer {
  std::vector<unsigned> loops; ///< of each dimension
  std::string element, type;
  int64_t alignment;
};

class Program {
public:
  explicit Program(unsigned seed) : random(seed) {
    static const int64_t choices[] = {1, 2, 3, 5, 8, 12, 16, 33, 66};
    for (int64_t &extent : extents)
      extent = choices[below(std::size(choices))];
    // Loops of one extent can be taken for each other.
    if (below(2))
      extents[1] = extents[0];
    for (int i = 0; i < 6; ++i)
      buffers.push_back(makeBuffer());
  }

  /// Returns how many ops the kernel has in the end.
  unsigned grow(unsigned tries) {
    while (tries--) {
      ops.push_back(makeOp());
      if (!isKernel())
        ops.pop_back();
    }
    return ops.size();
  }

  std::string text() const {
    std::string arguments, body;
    for (size_t i = 0; i < buffers.size(); ++i)
      arguments +=
          (i ? ", %b" : "%b") + std::to_string(i) + ": " + buffers[i].type +
          " {llvm.align = " + std::to_string(buffers[i].alignment) + " : i64}";
    for (const std::string &op : ops)
      body += op;
    return "func.func private @k(" + arguments +
           ") attributes {commir.kernel} {\n" + body + "  return\n}\n";
  }

private:
  unsigned below(unsigned end) { return random() % end; }

  Buffer makeBuffer() {
    Buffer buffer;
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      if (below(3))
        buffer.loops.push_back(loop);
    if (!below(3))
      std::shuffle(buffer.loops.begin(), buffer.loops.end(), random);
    static const std::pair<const char *, int64_t> elements[] = {
        {"i32", 4}, {"i32", 4}, {"i64", 8}, {"i8", 1}};
    auto [element, bytes] = elements[below(std::size(elements))];
    buffer.element = element;
    buffer.alignment = below(2) ? 16 : bytes;
    std::string shape, strides;
    int64_t stride = 1;
    for (size_t i = buffer.loops.size(); i-- > 0;) {
      shape = std::to_string(extents[buffer.loops[i]]) + "x" + shape;
      strides =
          std::to_string(stride) + (strides.empty() ? "" : ", ") + strides;
      stride *= extents[buffer.loops[i]];
      if (!below(6))
        stride += 1 + below(8);
    }
    buffer.type = "memref<" + shape + element +
                  (shape.empty() ? ">" : ", strided<[" + strides + "]>>");
    return buffer;
  }

  /// `value` of type `from` as one of type `to`.
  static std::string convert(const std::string &result,
                             const std::string &value, const std::string &from,
                             const std::string &to) {
    unsigned a = std::stoul(from.substr(1)), b = std::stoul(to.substr(1));
    if (a == b)
      return "    " + result + " = arith.ori " + value + ", " + value + " : " +
             to + "\n";
    return "    " + result + " = arith." + (a < b ? "extsi " : "trunci ") +
           value + " : " + from + " to " + to + "\n";
  }

  std::string makeOp() {
    unsigned outputNumber = below(buffers.size());
    const Buffer &output = buffers[outputNumber];
    std::vector<unsigned> loops = output.loops, inputs;
    for (int i = 0; i < 2; ++i) {
      unsigned number = below(buffers.size());
      if (number != outputNumber || !below(2))
        inputs.push_back(number);
    }
    for (unsigned number : inputs)
      for (unsigned loop : buffers[number].loops)
        if (!std::count(loops.begin(), loops.end(), loop))
          loops.push_back(loop);
    bool reduces = loops.size() > output.loops.size();
    // It would read what it accumulates.
    if (reduces)
      std::erase(inputs, outputNumber);
    // Loops of the op in another order than those of the program.
    std::vector<unsigned> order = loops;
    std::shuffle(order.begin(), order.end(), random);
    std::string dims, iterators;
    for (unsigned loop : order) {
      dims += (dims.empty() ? "d" : ", d") + std::to_string(loop);
      bool isParallel =
          std::count(output.loops.begin(), output.loops.end(), loop);
      iterators += std::string(iterators.empty() ? "" : ", ") +
                   (isParallel ? "\"parallel\"" : "\"reduction\"");
    }
    auto map = [&](const Buffer &buffer) {
      std::string results;
      for (unsigned loop : buffer.loops)
        results += (results.empty() ? "d" : ", d") + std::to_string(loop);
      return "affine_map<(" + dims + ") -> (" + results + ")>";
    };
    std::string maps, ins, types, block;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Buffer &input = buffers[inputs[i]];
      maps += map(input) + ", ";
      ins += (i ? ", %b" : "%b") + std::to_string(inputs[i]);
      types += (i ? ", " : "") + input.type;
      block += "%i" + std::to_string(i) + ": " + input.element + ", ";
    }
    const std::string &type = output.element;
    std::string op = "  linalg.generic {indexing_maps = [" + maps +
                     map(output) + "], iterator_types = [" + iterators + "]}";
    if (!inputs.empty())
      op += " ins(" + ins + " : " + types + ")";
    op += " outs(%b" + std::to_string(outputNumber) + " : " + output.type +
          ") {\n  ^bb0(" + block + "%out: " + type +
          "):\n    %v0 = arith.constant " + std::to_string(1 + below(5)) +
          " : " + type + "\n";
    unsigned value = 0;
    auto last = [&] { return "%v" + std::to_string(value); };
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::string number = std::to_string(i), old = last();
      op += convert("%c" + number, "%i" + number, buffers[inputs[i]].element,
                    type);
      ++value;
      op += "    " + last() + (below(2) ? " = arith.addi " : " = arith.muli ") +
            old + ", %c" + number + " : " + type + "\n";
    }
    if (!order.empty() && !below(5)) {
      std::string old = last();
      op += "    %index = linalg.index " + std::to_string(below(order.size())) +
            " : index\n    %number = arith.index_cast %index : index to " +
            type + "\n";
      ++value;
      op += "    " + last() + " = arith.addi " + old + ", %number : " + type +
            "\n";
    }
    if (reduces || below(3) == 0) {
      static const char *const combiners[] = {"addi", "maxsi", "minui",
                                              "xori", "subi",  "muli"};
      op += "    %r = arith." + std::string(combiners[below(6)]) + " %out, " +
            last() + " : " + type + "\n    linalg.yield %r : " + type;
    } else {
      op += "    linalg.yield " + last() + " : " + type;
    }
    return op + "\n  }\n";
  }

  bool isKernel() const {
    auto kernel = Kernel::parse(text());
    if (!kernel) {
      ADD_FAILURE() << text() << llvm::toString(kernel.takeError());
      return false;
    }
    auto code = kernel->deviceCode("sm_90a");
    if (code)
      return true;
    std::string why = llvm::toString(code.takeError());
    EXPECT_NE(why.find("no device code is known"), std::string::npos)
        << why << text();
    return false;
  }

  std::mt19937 random;
  std::array<int64_t, 4> extents;
  std::vector<Buffer> buffers;
  std::vector<std::string> ops;
};

class ElementwiseGroups : public testing::TestWithParam<unsigned> {};
} // namespace

TEST_P(ElementwiseGroups, Random) {
  unsigned numOps = 0, numKernels = 0;
  for (unsigned seed = GetParam(); seed < GetParam() + 10; ++seed) {
    Program program(seed);
    unsigned count = program.grow(5);
    if (!count)
      continue;
    numOps += count;
    ++numKernels;
    KernelCheck check;
    check.text = program.text();
    check.seed = seed;
    check.tolerance = 0;
    check.orders = {"descending", "random:1"};
    checkKernel(check);
    if (HasFailure())
      return;
  }
  // Most are groups.
  EXPECT_GE(numOps, 2 * numKernels);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ElementwiseGroups,
                         testing::Range(0u, 40u, 10u));
