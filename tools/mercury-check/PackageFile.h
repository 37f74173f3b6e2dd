//===- PackageFile.h - Reads a package --------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_CHECK_PACKAGEFILE_H
#define MERCURY_TOOLS_MERCURY_CHECK_PACKAGEFILE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mercury::check {

enum class Element { F64, F32, F16, BF16, I64, I32, I8, I1 };

/// The element at `index`, as a number.
double elementAt(Element element, const void *data, int64_t index);
int64_t bytesOf(Element element);

/// `count` elements: floats between -1 and 1, integers between -8 and 7, as
/// `seed` has them.
std::vector<char> randomElements(Element element, int64_t count, uint64_t seed);

/// An argument or result, what one rank has of it.
struct Value {
  Element element = Element::F32;
  int64_t bytes = 0;
  bool isNumber = false; ///< an argument by value
  double bound = 0;      ///< of a result: relative Frobenius norm
  int64_t count() const { return bytes / bytesOf(element); }
};

struct Level {
  std::string name;
  int64_t size;
};

/// What package.txt says; mercury-run's Package.h describes its lines.
struct PackageFile {
  std::string folder, function;
  std::vector<Level> levels;
  std::vector<std::vector<int32_t>> communicators;
  int64_t multiplyAdds = 0; ///< of each rank
  std::vector<Value> arguments, results;

  int64_t numRanks() const;
  std::string argumentPath(int64_t rank, size_t index) const;
  std::string resultPath(int64_t rank, size_t index) const;
};

/// Reads FOLDER/package.txt. Nothing: `error` says which line is wrong.
std::optional<PackageFile> readPackage(const std::string &folder,
                                       std::string &error);

/// All of a file. Nothing where it does not exist or cannot be read.
std::optional<std::vector<char>> readFile(const std::string &path);

} // namespace mercury::check

#endif // MERCURY_TOOLS_MERCURY_CHECK_PACKAGEFILE_H
