//===- PackageFile.cpp - Reads a package ----------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackageFile.h"
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

namespace mercury::check {

int64_t bytesOf(Element element) {
  switch (element) {
  case Element::F64:
  case Element::I64:
    return 8;
  case Element::F32:
  case Element::I32:
    return 4;
  case Element::F16:
  case Element::BF16:
    return 2;
  case Element::I8:
  case Element::I1:
    return 1;
  }
  return 1;
}

template <typename T> static T load(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T),
              sizeof(T));
  return value;
}

/// IEEE 754 binary16.
static double fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return mantissa ? std::nan("") : sign * INFINITY;
  return exponent ? sign * std::ldexp(1024 + mantissa, exponent - 25)
                  : sign * std::ldexp(mantissa, -24);
}

/// The upper half of a binary32.
static double fromBFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

double elementAt(Element element, const void *data, int64_t index) {
  switch (element) {
  case Element::F64:
    return load<double>(data, index);
  case Element::F32:
    return load<float>(data, index);
  case Element::F16:
    return fromHalf(load<uint16_t>(data, index));
  case Element::BF16:
    return fromBFloat(load<uint16_t>(data, index));
  case Element::I64:
    return static_cast<double>(load<int64_t>(data, index));
  case Element::I32:
    return load<int32_t>(data, index);
  case Element::I8:
    return load<int8_t>(data, index);
  case Element::I1:
    return load<uint8_t>(data, index) & 1;
  }
  return 0;
}

/// Rounds to zero; for |value| <= 1.
static uint16_t toHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  int exponent = 0;
  double fraction = std::frexp(std::fabs(value), &exponent);
  if (fraction == 0 || exponent < -13)
    return sign;
  int mantissa = static_cast<int>(std::ldexp(fraction, 11)) & 1023;
  return sign | static_cast<uint16_t>((exponent + 14) << 10 | mantissa);
}

static uint16_t toBFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<uint16_t>(bits >> 16);
}

template <typename T> static void store(void *data, int64_t index, T value) {
  std::memcpy(static_cast<char *>(data) + index * sizeof(T), &value,
              sizeof(value));
}

std::vector<char> randomElements(Element element, int64_t count,
                                 uint64_t seed) {
  std::vector<char> data(count * bytesOf(element));
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = random();
    double value = std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
    int8_t integer = static_cast<int8_t>(bits & 15) - 8;
    switch (element) {
    case Element::F64:
      store(data.data(), i, value);
      break;
    case Element::F32:
      store(data.data(), i, static_cast<float>(value));
      break;
    case Element::F16:
      store(data.data(), i, toHalf(value));
      break;
    case Element::BF16:
      store(data.data(), i, toBFloat(static_cast<float>(value)));
      break;
    case Element::I64:
      store<int64_t>(data.data(), i, integer);
      break;
    case Element::I32:
      store<int32_t>(data.data(), i, integer);
      break;
    case Element::I8:
      store<int8_t>(data.data(), i, integer);
      break;
    case Element::I1:
      store<uint8_t>(data.data(), i, bits & 1);
      break;
    }
  }
  return data;
}

static bool parseElement(const std::string &text, Element &element) {
  static const std::pair<const char *, Element> names[] = {
      {"f64", Element::F64},   {"f32", Element::F32}, {"f16", Element::F16},
      {"bf16", Element::BF16}, {"i64", Element::I64}, {"i32", Element::I32},
      {"i8", Element::I8},     {"i1", Element::I1}};
  for (const auto &[name, kind] : names)
    if (text == name) {
      element = kind;
      return true;
    }
  return false;
}

int64_t PackageFile::numRanks() const {
  int64_t ranks = 1;
  for (const Level &level : levels)
    ranks *= level.size;
  return ranks;
}

static std::string shardPath(const std::string &folder, int64_t rank,
                             const char *what, size_t index) {
  return folder + "/rank" + std::to_string(rank) + "." + what +
         std::to_string(index);
}

std::string PackageFile::argumentPath(int64_t rank, size_t index) const {
  return shardPath(folder, rank, "argument", index);
}

std::string PackageFile::resultPath(int64_t rank, size_t index) const {
  return shardPath(folder, rank, "result", index);
}

/// One line, of which the first word is `kind`.
static bool parseLine(const std::string &kind, std::istringstream &line,
                      PackageFile &package) {
  std::string element;
  if (kind == "function")
    return bool(line >> package.function);
  if (kind == "level") {
    Level &level = package.levels.emplace_back();
    return line >> level.name >> level.size && level.size > 0;
  }
  if (kind == "communicator") {
    package.communicators.emplace_back(std::istream_iterator<int32_t>(line),
                                       std::istream_iterator<int32_t>());
    return !package.communicators.back().empty() && line.eof();
  }
  if (kind == "multiply-adds")
    return bool(line >> package.multiplyAdds);
  if (kind == "argument" || kind == "number") {
    Value &value = package.arguments.emplace_back();
    value.isNumber = kind == "number";
    return line >> element >> value.bytes && value.bytes >= 0 &&
           parseElement(element, value.element);
  }
  if (kind == "result") {
    Value &value = package.results.emplace_back();
    return line >> element >> value.bytes >> value.bound && value.bytes >= 0 &&
           parseElement(element, value.element);
  }
  return false;
}

std::optional<PackageFile> readPackage(const std::string &folder,
                                       std::string &error) {
  PackageFile package;
  package.folder = folder;
  std::string path = folder + "/package.txt";
  std::ifstream file(path);
  if (!file) {
    error = "cannot read '" + path + "'";
    return std::nullopt;
  }
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    std::istringstream line(text);
    std::string kind;
    if (line >> kind && !parseLine(kind, line, package)) {
      error =
          path + ":" + std::to_string(number) + ": cannot read '" + text + "'";
      return std::nullopt;
    }
  }
  if (package.function.empty() || package.levels.empty()) {
    error = path + ": names no " +
            (package.function.empty() ? "function" : "level");
    return std::nullopt;
  }
  return package;
}

std::optional<std::vector<char>> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  return std::vector<char>(std::istreambuf_iterator<char>(file),
                           std::istreambuf_iterator<char>());
}

} // namespace mercury::check
