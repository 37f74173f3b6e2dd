//===- ReferenceTest.cpp - The function on one rank -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "Arguments.h"
#include "Mercury/InitAll.h"
#include "RunError.h"
#include "Verify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mercury::run;

namespace {

class ReferenceTest : public testing::Test {
protected:
  static void SetUpTestSuite() { mercury::registerAllPasses(); }
  ReferenceTest() {
    mlir::DialectRegistry registry;
    mercury::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }
  /// The results of the only function on random arguments, which are kept.
  std::vector<HostTensor> run(const std::string &text,
                              ReferenceOptions options = {}) {
    auto module = parse(text);
    auto program = compileOneRank(*module, options);
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return {};
    }
    arguments = makeArguments(program->signature.arguments, 1);
    auto results = runOneRank(*program, arguments);
    EXPECT_TRUE(static_cast<bool>(results));
    return std::move(*results);
  }
  std::string errorOf(const std::string &text) {
    auto module = parse(text);
    auto program = compileOneRank(*module, {});
    EXPECT_FALSE(static_cast<bool>(program));
    return llvm::toString(program.takeError());
  }

  mlir::MLIRContext context;
  std::vector<HostTensor> arguments;
};

std::string matmul(const std::string &type, const std::string &zero) {
  return "func.func @f(%a: tensor<3x300x" + type + ">, %b: tensor<3x300x4x" +
         type + ">) -> tensor<3x4x" + type + "> {\n" +
         "  %zero = arith.constant " + zero + " : " + type + "\n" +
         "  %empty = tensor.empty() : tensor<3x4x" + type + ">\n" +
         "  %init = linalg.fill ins(%zero : " + type +
         ") outs(%empty : tensor<3x4x" + type + ">) -> tensor<3x4x" + type +
         ">\n  %r = linalg.batch_vecmat ins(%a, %b : tensor<3x300x" + type +
         ">, tensor<3x300x4x" + type + ">) outs(%init : tensor<3x4x" + type +
         ">) -> tensor<3x4x" + type + ">\n  return %r : tensor<3x4x" + type +
         ">\n}\n";
}

/// The same in C++: products in f64, rounded once.
HostTensor expected(const std::vector<HostTensor> &arguments) {
  HostTensor result({arguments[0].spec.element, {3, 4}});
  for (int64_t b = 0; b < 3; ++b)
    for (int64_t n = 0; n < 4; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < 300; ++k)
        sum += arguments[0].get(b * 300 + k) *
               arguments[1].get((b * 300 + k) * 4 + n);
      result.set(b * 4 + n, sum);
    }
  return result;
}

TEST_F(ReferenceTest, AccumulatesInF64AndRoundsOnce) {
  for (const char *type : {"f64", "f32", "f16", "bf16"}) {
    std::vector<HostTensor> results = run(matmul(type, "0.0"));
    ASSERT_EQ(results.size(), 1u) << type;
    HostTensor wanted = expected(arguments);
    // Sums in another order may differ in the last place of f64.
    for (int64_t i = 0; i < 12; ++i)
      EXPECT_NEAR(results[0].get(i), wanted.get(i),
                  std::string(type) == "f64" ? 1e-12 : 0)
          << type;
  }
}

TEST_F(ReferenceTest, IntegersAreExact) {
  for (const char *type : {"i64", "i32", "i8"}) {
    std::vector<HostTensor> results = run(matmul(type, "0"));
    ASSERT_EQ(results.size(), 1u) << type;
    HostTensor wanted = expected(arguments);
    if (std::string(type) != "i8") // which wraps around
      EXPECT_EQ(results[0].data, wanted.data) << type;
  }
}

TEST_F(ReferenceTest, WithoutPromotionRunsWhatIsWritten) {
  ReferenceOptions options;
  options.promote = false;
  options.optLevel = 0;
  std::vector<HostTensor> plain = run(matmul("f32", "0.0"), options);
  HostTensor wanted = expected(arguments);
  EXPECT_NE(plain[0].data, wanted.data);
  EXPECT_TRUE(verifyResults(plain, {wanted}).verified());
}

TEST_F(ReferenceTest, BitsSeveralResultsAndHelpers) {
  std::vector<HostTensor> results = run(R"(
    func.func private @not(%x: tensor<7xi1>) -> tensor<7xi1> {
      %true = arith.constant dense<true> : tensor<7xi1>
      %r = arith.xori %x, %true : tensor<7xi1>
      return %r : tensor<7xi1>
    }
    func.func @f(%x: tensor<7xi1>, %s: tensor<f32>)
        -> (tensor<7xi1>, tensor<7xi1>, tensor<f32>) {
      %r = call @not(%x) : (tensor<7xi1>) -> tensor<7xi1>
      return %r, %x, %s : tensor<7xi1>, tensor<7xi1>, tensor<f32>
    }
    func.func private @unused(%x: tensor<?xf80>) { return })");
  ASSERT_EQ(results.size(), 3u);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(results[0].get(i), 1 - arguments[0].get(i));
    EXPECT_EQ(results[1].get(i), arguments[0].get(i));
  }
  EXPECT_EQ(results[2].data, arguments[1].data);
}

TEST_F(ReferenceTest, DropsTopologyAndAttributes) {
  std::vector<HostTensor> results = run(R"(
    commir.topology @t levels [#commir.level<gpu, 2>]
    func.func @f(%x: tensor<4xf32>
                   {commir.placement = #commir.placement<[{gpu}]>})
        -> (tensor<4xf32> {commir.placement = #commir.placement<[{gpu}]>})
        attributes {commir.topology = @t} {
      return %x : tensor<4xf32>
    })");
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].data, arguments[0].data);
}

TEST_F(ReferenceTest, RefusesWhatCannotBeRun) {
  EXPECT_EQ(errorOf("func.func @f(%a: tensor<4xf32>, %x: tensor<4x?xf32>) { "
                    "return }"),
            "argument 1 of @f has type 'tensor<4x?xf32>' with a dynamic extent "
            "in dimension 1, but extents must be static");
  EXPECT_EQ(errorOf("func.func @f(%x: tensor<4xf80>) { return }"),
            "argument 0 of @f has elements of type 'f80', but only f64, f32, "
            "f16, bf16, i64, i32, i8 and i1 can be run");
  EXPECT_EQ(errorOf("func.func @f(%x: vector<4xf32>) { return }"),
            "argument 0 of @f has type 'vector<4xf32>', but only ranked "
            "tensors, index, f64, f32, f16, bf16, i64, i32, i8 and i1 can be "
            "run");
  EXPECT_EQ(errorOf("func.func @f() { return }\nfunc.func @g() { return }"),
            "the module has several functions (@f, @g); name one with --entry");
}

TEST_F(ReferenceTest, SaysWhichStepFails) {
  // What the passes say is not the point here.
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  EXPECT_EQ(errorOf("commir.topology @t levels [#commir.level<gpu, 4>]\n"
                    "func.func @f(%a: tensor<4xf32>, %n: tensor<1xi64>) {\n"
                    "  %z = arith.constant 0 : index\n"
                    "  %e = tensor.extract %n[%z] : tensor<1xi64>\n"
                    "  %i = arith.index_cast %e : i64 to index\n"
                    "  scf.forall (%r) in (%i) { } "
                    "{mapping = [#commir.axis<gpu>]}\n"
                    "  return }"),
            "cannot erase the placement of @f for the reference on one rank");
  EXPECT_EQ(errorOf("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                    "  %0 = \"tosa.exp\"(%x) : (tensor<4xf32>) -> "
                    "tensor<4xf32>\n"
                    "  return %0 : tensor<4xf32> }"),
            "cannot lower @f for the reference on one rank");
  std::string text =
      errorOf("func.func private @absent(tensor<4xf32>) -> tensor<4xf32>\n"
              "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
              "  %0 = call @absent(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
              "  return %0 : tensor<4xf32> }");
  EXPECT_EQ(text.rfind("cannot link the reference: ", 0), 0u) << text;
}

TEST_F(ReferenceTest, ChecksArguments) {
  auto module = parse("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { "
                      "return %x : tensor<4xf32> }");
  auto results =
      computeReference(*module, {}, {HostTensor({ElementKind::F64, {4}})});
  ASSERT_FALSE(static_cast<bool>(results));
  EXPECT_EQ(llvm::toString(results.takeError()),
            "argument 0 has type 4xf32, but a value of type 4xf64 is given");
  results = computeReference(*module, {}, {});
  ASSERT_FALSE(static_cast<bool>(results));
  EXPECT_EQ(llvm::toString(results.takeError()),
            "the function takes 1 arguments, but 0 are given");
}

} // namespace
