//===- NpyTest.cpp - NumPy's array files ----------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "Arguments.h"
#include "RunError.h"
#include "gtest/gtest.h"

using namespace mercury::run;

namespace {

constexpr ElementKind allKinds[] = {
    ElementKind::F64, ElementKind::F32, ElementKind::F16, ElementKind::BF16,
    ElementKind::I64, ElementKind::I32, ElementKind::I8,  ElementKind::I1};

/// A version 1.0 file.
std::string npy(const std::string &header, const std::string &data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  return bytes + header + data;
}

std::string messageOf(llvm::Expected<HostTensor> tensor) {
  EXPECT_FALSE(static_cast<bool>(tensor));
  return llvm::toString(tensor.takeError());
}

TEST(Npy, RoundTripOfEveryElementType) {
  for (ElementKind kind : allKinds) {
    HostTensor tensor = makeArgument({kind, {3, 4}}, 7, 0);
    llvm::Expected<HostTensor> read =
        parseNpy(printNpy(tensor), tensor.spec, "memory");
    ASSERT_TRUE(static_cast<bool>(read)) << stringify(kind).str();
    EXPECT_EQ(read->data, tensor.data) << stringify(kind).str();
  }
}

TEST(Npy, RoundTripOfRank0And1AndNoElements) {
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{}, {5}, {0, 3}, {1, 2, 3, 4}}) {
    HostTensor tensor = makeArgument({ElementKind::F32, shape}, 1, 0);
    llvm::Expected<HostTensor> read =
        parseNpy(printNpy(tensor), tensor.spec, "memory");
    ASSERT_TRUE(static_cast<bool>(read));
    EXPECT_EQ(read->data, tensor.data);
  }
}

TEST(Npy, DataStartsAtAMultipleOf64) {
  for (int64_t extent : {1, 1000, 1000000000}) {
    HostTensor tensor;
    tensor.spec = {ElementKind::I8, {extent}};
    EXPECT_EQ(printNpy(tensor).size() % 64, 0u);
  }
}

TEST(Npy, ReadsColumnMajor) {
  // [[0, 1, 2], [3, 4, 5]] in columns.
  std::string file =
      npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }",
          std::string("\0\3\1\4\2\5", 6));
  auto tensor = parseNpy(file, {ElementKind::I8, {2, 3}}, "f.npy");
  ASSERT_TRUE(static_cast<bool>(tensor));
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(tensor->get(i), i);
}

TEST(Npy, ReadsRawBF16) {
  std::string file =
      npy("{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }",
          std::string("\x80\x3f", 2));
  auto tensor = parseNpy(file, {ElementKind::BF16, {1}}, "f.npy");
  ASSERT_TRUE(static_cast<bool>(tensor));
  EXPECT_EQ(tensor->get(0), 1);
}

TEST(Npy, ReadsKeysInAnyOrder) {
  std::string file =
      npy("{'shape': (1,), 'fortran_order': False, 'descr': '|b1'}", "\1");
  auto tensor = parseNpy(file, {ElementKind::I1, {1}}, "f.npy");
  ASSERT_TRUE(static_cast<bool>(tensor));
  EXPECT_EQ(tensor->get(0), 1);
}

TEST(Npy, RefusesOtherElementTypes) {
  std::string file = printNpy(HostTensor({ElementKind::F64, {2}}));
  EXPECT_EQ(messageOf(parseNpy(file, {ElementKind::F32, {2}}, "f.npy")),
            "'f.npy' holds elements of type '<f8', but f32 needs '<f4'");
}

TEST(Npy, RefusesOtherShapes) {
  std::string file = printNpy(HostTensor({ElementKind::F32, {2, 3}}));
  EXPECT_EQ(messageOf(parseNpy(file, {ElementKind::F32, {6}}, "f.npy")),
            "'f.npy' has shape (2, 3), but the program needs (6,)");
}

TEST(Npy, RefusesTruncatedFiles) {
  std::string file = printNpy(HostTensor({ElementKind::F32, {2}}));
  TensorSpec spec{ElementKind::F32, {2}};
  EXPECT_EQ(messageOf(parseNpy(llvm::StringRef(file).drop_back(3), spec, "f")),
            "'f' ends after 5 of 8 bytes of data");
  for (size_t size : {0, 5, 7, 9, 20})
    EXPECT_EQ(
        messageOf(parseNpy(llvm::StringRef(file).take_front(size), spec, "f")),
        "'f' is not a .npy file");
}

TEST(Npy, RefusesMissingFiles) {
  llvm::Expected<HostTensor> tensor =
      readNpy("no/such/file.npy", {ElementKind::F32, {2}});
  ASSERT_FALSE(static_cast<bool>(tensor));
  llvm::handleAllErrors(tensor.takeError(), [](const RunError &error) {
    EXPECT_EQ(error.outcome, Outcome::BadInput);
    EXPECT_NE(error.text.find("cannot read 'no/such/file.npy'"),
              std::string::npos);
  });
}

} // namespace
