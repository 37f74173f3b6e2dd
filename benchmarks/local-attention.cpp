//===- local-attention.cpp - A tile of attention against its sgemms -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One head of attention on one thread, in three forms that run in turns:
//   tile      commir.online_attention from an empty state, as ranks compile it
//   sgemms    Q K^T and P V by cblas_sgemm, without anything between
//   unfused   the same two with a softmax between, by the tile's exponential
// Prints how fast the tile and the unfused form are, as parts of the speed of
// the sgemms alone, which run OpenBLAS' best kernel for this CPU (OpenBlas.h).
// Their matrix of scores does not fit a cache, so the speed of a square sgemm
// that does stands on the first line.
//
//   bench-local-attention [--queries=N] [--keys=N] [--features=64,128]
//                         [--type=f32|bf16|f16] [--repeat=N] [--json=FILE]
//                         [--blocks=PASS-OPTIONS] [--core=OPENBLAS_CORETYPE]
//
//===----------------------------------------------------------------------===//

#include "CompiledTile.h"
#include "OpenBlas.h"
#include "VectorKernels.h"

#include "Mercury/InitAll.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace mercury::bench;

namespace {

/// @softmax(s) of rows of a whole number of vectors, in place; `s` is scaled.
void buildSoftmax(mlir::ModuleOp module, const TileSize &size, int64_t width) {
  using namespace mlir;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = b.getUnknownLoc();
  auto type = MemRefType::get({size.queries, size.keys}, b.getF32Type());
  auto lanes = VectorType::get(width, b.getF32Type());
  auto function =
      func::FuncOp::create(b, loc, "softmax", b.getFunctionType(type, {}));
  function->setAttr("llvm.bareptr", b.getUnitAttr());
  Value scores = function.addEntryBlock()->getArgument(0);
  b.setInsertionPointToStart(&function.front());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto splat = [&](float value) -> Value {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(lanes, b.getF32FloatAttr(value).getValue()));
  };
  auto spread = [&](Value scalar) -> Value {
    return vector::BroadcastOp::create(b, loc, lanes, scalar);
  };
  auto rows =
      scf::ForOp::create(b, loc, index(0), index(size.queries), index(1));
  b.setInsertionPointToStart(rows.getBody());
  Value row = rows.getInductionVar();
  // One pass over the row: body(chunk, carried) -> next carried.
  auto pass = [&](Value initial,
                  llvm::function_ref<Value(Value, Value)> body) -> Value {
    auto loop = scf::ForOp::create(b, loc, index(0), index(size.keys),
                                   index(width), initial);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
    scf::YieldOp::create(b, loc, next);
    return loop.getResult(0);
  };
  auto load = [&](Value at) -> Value {
    return vector::LoadOp::create(b, loc, lanes, scores, ValueRange{row, at});
  };
  auto store = [&](Value value, Value at) {
    vector::StoreOp::create(b, loc, value, scores, ValueRange{row, at});
  };
  Value scale = splat(1 / std::sqrt(float(size.features)));
  Value tops = pass(splat(-INFINITY), [&](Value at, Value tops) -> Value {
    Value value = load(at);
    Value isLarger =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, value, tops);
    return arith::SelectOp::create(b, loc, isLarger, value, tops);
  });
  Value top =
      spread(vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXNUMF,
                                         tops, arith::FastMathFlags::nnan));
  Value sums = pass(splat(0), [&](Value at, Value sums) -> Value {
    Value x = arith::MulFOp::create(
        b, loc, arith::SubFOp::create(b, loc, load(at), top), scale);
    Value weight = mercury::emitExp(b, loc, x, /*fma=*/true);
    store(weight, at);
    return arith::AddFOp::create(b, loc, sums, weight);
  });
  Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD,
                                          sums, arith::FastMathFlags::reassoc);
  Value one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
  Value factor = spread(arith::DivFOp::create(b, loc, one, sum));
  pass(factor, [&](Value at, Value factor) {
    store(arith::MulFOp::create(b, loc, load(at), factor), at);
    return factor;
  });
  b.setInsertionPointToEnd(&function.front());
  func::ReturnOp::create(b, loc);
}

/// The elements of `from` as `type`, and `from` rounded to it.
std::vector<char> convert(std::vector<float> &from, const std::string &type) {
  const llvm::fltSemantics &semantics =
      type == "f32"   ? llvm::APFloat::IEEEsingle()
      : type == "f16" ? llvm::APFloat::IEEEhalf()
                      : llvm::APFloat::BFloat();
  unsigned width = type == "f32" ? 4 : 2;
  std::vector<char> bytes(from.size() * width);
  for (size_t i = 0; i < from.size(); ++i) {
    llvm::APFloat number(from[i]);
    bool inexact;
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &inexact);
    uint64_t word = number.bitcastToAPInt().getZExtValue();
    memcpy(&bytes[i * width], &word, width);
    number.convert(llvm::APFloat::IEEEsingle(),
                   llvm::APFloat::rmNearestTiesToEven, &inexact);
    from[i] = number.convertToFloat();
  }
  return bytes;
}

template <typename F> double seconds(F &&f) {
  double start = threadSeconds();
  f();
  return threadSeconds() - start;
}

void measure(mlir::MLIRContext &context, const TileSize &size,
             const Options &options, JsonLines &json) {
  auto engine = compileTile(
      context, size, options.text("type"), options.text("blocks"),
      [&](mlir::ModuleOp module) { buildSoftmax(module, size, 32); });
  auto *runCompiled = functionOf(*engine);
  auto *runSoftmax = functionOf<void (*)(float *)>(*engine, "softmax");
  int64_t m = size.queries, n = size.keys, d = size.features;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> q(m * d), k(n * d), v(n * d), tile(m * d), max(m), sum(m),
      scores(m * n), unfused(m * d);
  for (std::vector<float> *values : {&q, &k, &v})
    for (float &value : *values)
      value = normal(random);
  std::vector<char> rawQ = convert(q, options.text("type")),
                    rawK = convert(k, options.text("type")),
                    rawV = convert(v, options.text("type"));
  auto runTile = [&] {
    std::fill(tile.begin(), tile.end(), 0.0f);
    std::fill(max.begin(), max.end(), -INFINITY);
    std::fill(sum.begin(), sum.end(), 0.0f);
    runCompiled(rawQ.data(), rawK.data(), rawV.data(), tile.data(), max.data(),
                sum.data());
  };
  auto runFirst = [&] {
    cblas_sgemm(101, 111, 112, m, n, d, 1, q.data(), d, k.data(), d, 0,
                scores.data(), n);
  };
  auto runSecond = [&] {
    cblas_sgemm(101, 111, 111, m, d, n, 1, scores.data(), n, v.data(), d, 0,
                unfused.data(), d);
  };
  auto runUnfused = [&] {
    runFirst();
    runSoftmax(scores.data());
    runSecond();
  };
  runTile();
  runUnfused();
  double error = 0, largest = 0;
  for (int64_t row = 0; row < m; ++row)
    for (int64_t e = 0; e < d; ++e) {
      double theirs = unfused[row * d + e];
      largest = std::max(largest, std::fabs(theirs));
      error = std::max(error, std::fabs(tile[row * d + e] / sum[row] - theirs));
    }
  if (!(error <= 1e-4 * largest))
    fail("the tile and the unfused form differ by " + std::to_string(error));

  std::vector<double> ours, theirs, between;
  for (int i = 0; i < options.number("repeat"); ++i) {
    ours.push_back(seconds(runTile));
    theirs.push_back(seconds([&] { runFirst(), runSecond(); }));
    between.push_back(seconds(runUnfused));
  }
  double ratio = median(theirs) / median(ours),
         best = minimum(theirs) / minimum(ours),
         ofUnfused = median(theirs) / median(between),
         bestOfUnfused = minimum(theirs) / minimum(between);
  llvm::outs() << llvm::format(
      "M %5ld N %5ld d %3ld  sgemms alone %8.2f ms %5.1f GF  tile %8.2f ms "
      "%5.1f GF ratio %.3f (of minima %.3f)  unfused %8.2f ms ratio %.3f (of "
      "minima %.3f)  difference %.1e\n",
      m, n, d, median(theirs) * 1e3, size.flops() / median(theirs) / 1e9,
      median(ours) * 1e3, size.flops() / median(ours) / 1e9, ratio, best,
      median(between) * 1e3, ofUnfused, bestOfUnfused, error / largest);
  json.add(llvm::json::Object{{"benchmark", "local-attention"},
                              {"queries", m},
                              {"keys", n},
                              {"features", d},
                              {"type", options.text("type")},
                              {"openblas_core", openblas_get_corename()},
                              {"sgemms_seconds", median(theirs)},
                              {"sgemms_seconds_minimum", minimum(theirs)},
                              {"tile_seconds", median(ours)},
                              {"tile_seconds_minimum", minimum(ours)},
                              {"unfused_seconds", median(between)},
                              {"unfused_seconds_minimum", minimum(between)},
                              {"ratio", ratio},
                              {"ratio_of_minima", best},
                              {"unfused_ratio", ofUnfused},
                              {"unfused_ratio_of_minima", bestOfUnfused},
                              {"relative_difference", error / largest}});
}

} // namespace

int main(int argc, char **argv) {
  selectOpenBlasCore(argc, argv);
  Options options(argc, argv,
                  {{"queries", "4096"},
                   {"keys", "4096"},
                   {"features", "64,128"},
                   {"type", "f32"},
                   {"repeat", "9"},
                   {"json", ""},
                   {"blocks", ""},
                   {"core", ""}});
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();

  llvm::outs() << "attention, " << options.text("type")
               << ", one head, one thread, against two sgemms, "
               << describeOpenBlas()
               << llvm::format("; sgemm 768^3 %.1f GF\n",
                               2.0 * 768 * 768 * 768 / probeOpenBlas() / 1e9);
  JsonLines json(options.text("json"));
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(options.text("features")).split(features, ',');
  for (llvm::StringRef text : features) {
    int64_t d;
    int64_t keys = options.number("keys");
    if (text.getAsInteger(10, d) || d <= 0 || keys % 32)
      fail("--features are positive, --keys a multiple of 32");
    measure(context, {1, int64_t(options.number("queries")), keys, d}, options,
            json);
  }
  return 0;
}
