//===- ContractionSample.cpp - A contraction to test kernels with ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionSample.h"

using namespace mercury::test;

static std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string ContractionSample::type(unsigned operand) const {
  std::string shape;
  std::vector<std::string> strides(loops[operand].size());
  int64_t stride = 1;
  for (size_t dim = strides.size(); dim-- > 0;) {
    int64_t extent = extents[loops[operand][dim]];
    shape = std::to_string(extent) + "x" + shape;
    strides[dim] = std::to_string(stride);
    stride *= extent + gaps[operand][dim];
  }
  return "memref<" + shape + (operand == 2 ? output : input) + ", strided<[" +
         join(strides) + "]>>";
}

std::string ContractionSample::text() const {
  std::vector<std::string> dims, iterators, maps;
  for (size_t loop = 0; loop < roles.size(); ++loop) {
    dims.push_back("d" + std::to_string(loop));
    iterators.push_back(roles[loop] == 'k' ? "\"reduction\"" : "\"parallel\"");
  }
  for (const std::vector<unsigned> &of : loops) {
    std::vector<std::string> results;
    for (unsigned loop : of)
      results.push_back(dims[loop]);
    maps.push_back("affine_map<(" + join(dims) + ") -> (" + join(results) +
                   ")>");
  }
  std::string align =
      alignment ? " {llvm.align = " + std::to_string(alignment) + " : i64}"
                : "";
  std::string a = type(0), b = type(1), c = type(2);
  std::string x = "%x", y = "%y", casts;
  if (input != output) {
    x = "%xe", y = "%ye";
    casts = "    %xe = arith.extf %x : " + input + " to " + output +
            "\n    %ye = arith.extf %y : " + input + " to " + output + "\n";
  }
  return "func.func private @k(%a: " + a + align + ", %b: " + b + align +
         ", %c: " + c + align +
         ") attributes {commir.kernel} {\n"
         "  linalg.generic {indexing_maps = [" +
         join(maps) + "], iterator_types = [" + join(iterators) +
         "]} ins(%a, %b : " + a + ", " + b + ") outs(%c : " + c +
         ") {\n  ^bb0(%x: " + input + ", %y: " + input + ", %z: " + output +
         "):\n" + casts + "    %p = arith.mulf " + x + ", " + y + " : " +
         output + "\n    %s = arith.addf %z, %p : " + output +
         "\n    linalg.yield %s : " + output + "\n  }\n  return\n}\n";
}

void ContractionSample::reference(KernelArguments &arguments) const {
  // The elements as doubles in row-major order, and the stride of each loop.
  std::array<std::vector<double>, 3> values;
  std::array<std::vector<int64_t>, 3> strides;
  for (unsigned operand = 0; operand < 3; ++operand) {
    values[operand].resize(arguments[operand]->size());
    for (int64_t i = 0; i < arguments[operand]->size(); ++i)
      values[operand][i] = arguments[operand]->get(i);
    strides[operand].assign(roles.size(), 0);
    int64_t stride = 1;
    for (size_t dim = loops[operand].size(); dim-- > 0;) {
      strides[operand][loops[operand][dim]] = stride;
      stride *= extents[loops[operand][dim]];
    }
  }
  std::vector<int64_t> index(roles.size());
  std::array<int64_t, 3> at = {0, 0, 0};
  for (bool more = true; more;) {
    values[2][at[2]] += values[0][at[0]] * values[1][at[1]];
    more = false;
    for (size_t loop = roles.size(); loop-- > 0 && !more;) {
      more = ++index[loop] < extents[loop];
      int64_t moved = more ? 1 : 1 - extents[loop];
      if (!more)
        index[loop] = 0;
      for (unsigned operand = 0; operand < 3; ++operand)
        at[operand] += moved * strides[operand][loop];
    }
  }
  for (int64_t i = 0; i < arguments[2]->size(); ++i)
    arguments[2]->set(i, values[2][i]);
}

void ContractionSample::transpose(unsigned bits) {
  for (unsigned operand = 0; operand < 3; ++operand)
    if (bits >> operand & 1)
      std::swap(loops[operand][0], loops[operand][1]);
}

ContractionSample mercury::test::makeRandomContraction(std::mt19937 &random) {
  ContractionSample sample;
  sample.roles.clear();
  static const int64_t extents[] = {1, 2, 3, 4, 5, 8, 12};
  for (char role : {'b', 'm', 'n', 'k'})
    for (unsigned i = random() % (role == 'b' ? 3 : 4) + (role == 'k'); i > 0;
         --i)
      if (role != 'k' || i < 4)
        sample.roles += role;
  std::shuffle(sample.roles.begin(), sample.roles.end(), random);
  for (unsigned operand = 0; operand < 3; ++operand) {
    sample.loops[operand].clear();
    for (unsigned loop = 0; loop < sample.roles.size(); ++loop) {
      static const char *const kUses[] = {"bmk", "bkn", "bmn"};
      if (std::string(kUses[operand]).find(sample.roles[loop]) !=
          std::string::npos)
        sample.loops[operand].push_back(loop);
    }
    // Half of the operands in the order of the loops, which can collapse.
    if (random() % 2)
      std::shuffle(sample.loops[operand].begin(), sample.loops[operand].end(),
                   random);
    sample.gaps[operand].clear();
    for (size_t dim = 0; dim < sample.loops[operand].size(); ++dim)
      sample.gaps[operand].push_back(random() % 4 ? 0 : random() % 9);
  }
  int64_t work;
  do {
    work = 1;
    sample.extents.clear();
    for (size_t loop = 0; loop < sample.roles.size(); ++loop) {
      sample.extents.push_back(extents[random() % std::size(extents)]);
      work *= sample.extents.back();
    }
  } while (work > 200000);
  std::tie(sample.input, sample.output) = kContractionTypes[random() % 4];
  sample.alignment = random() % 2 ? 16 : 0;
  return sample;
}
