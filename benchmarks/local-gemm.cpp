//===- local-gemm.cpp - Local GEMM against OpenBLAS, one thread -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles one linalg.matmul a size through the passes that a rank's local work
// takes, runs it and cblas in turns in this process, and prints the ratio of
// the medians of the times, as text and as JSON. OpenBLAS runs its best kernel
// for this CPU (OpenBlas.h).
//
//   bench-local-gemm [--repeat=N] [--json=FILE] [--blocks=PASS-OPTIONS]
//                    [--type=f32|bf16|f16] [--form=nn|nt|tn|tt]
//                    [--core=OPENBLAS_CORETYPE] [MxNxK ...]
//
//===----------------------------------------------------------------------===//

#include "OpenBlas.h"
#include "Support.h"

#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TargetSelect.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {
struct Size {
  int64_t m, n, k;
};

struct Options {
  int repeat = 15;
  std::string json, blocks, type = "f32", form = "nn", core;
  std::vector<Size> sizes;
};

struct Result {
  Size size;
  double ours = 0, openblas = 0;         ///< seconds, medians
  double bestOurs = 0, bestOpenblas = 0; ///< seconds, minima
  double error = 0;                      ///< largest difference / largest value
};

/// A matmul of f32 results, with inputs of `type` and layouts of `form`.
std::string matmulText(const Size &size, llvm::StringRef type,
                       llvm::StringRef form) {
  auto text = [](int64_t value) { return std::to_string(value); };
  bool ta = form[0] == 't', tb = form[1] == 't';
  std::string m = text(size.m), n = text(size.n), k = text(size.k);
  std::string a =
      "tensor<" + (ta ? k + "x" + m : m + "x" + k) + "x" + type.str() + ">";
  std::string b =
      "tensor<" + (tb ? n + "x" + k : k + "x" + n) + "x" + type.str() + ">";
  std::string c = "tensor<" + m + "x" + n + "xf32>";
  auto memref = [](std::string tensor) {
    return "memref" + tensor.substr(strlen("tensor"));
  };
  std::string maps =
      std::string("indexing_maps = [affine_map<(m, n, k) -> ") +
      (ta ? "(k, m)" : "(m, k)") + ">, affine_map<(m, n, k) -> " +
      (tb ? "(n, k)" : "(k, n)") + ">, affine_map<(m, n, k) -> (m, n)>]";
  return "func.func @gemm(%a0: " + memref(a) + ", %b0: " + memref(b) +
         ", %c0: " + memref(c) +
         ") attributes {llvm.emit_c_interface} {\n"
         "%a = bufferization.to_tensor %a0 restrict : " +
         memref(a) + " to " + a +
         "\n%b = bufferization.to_tensor %b0 restrict : " + memref(b) + " to " +
         b +
         "\n%c = bufferization.to_tensor %c0 restrict writable : " + memref(c) +
         " to " + c + "\n%r = linalg.matmul " + maps + " ins(%a, %b : " + a +
         ", " + b + ") outs(%c : " + c + ") -> " + c +
         "\nbufferization.materialize_in_destination %r in restrict writable "
         "%c0 : (" +
         c + ", " + memref(c) + ") -> ()\nreturn\n}\n";
}

mlir::LogicalResult compile(mlir::ModuleOp module, llvm::StringRef blocks) {
  mlir::PassManager pm(module.getContext());
  std::string pipeline =
      "any(mercury-vectorize-contractions{" + blocks.str() + "})";
  if (failed(mlir::parsePassPipeline(pipeline, pm)))
    return mlir::failure();
  pm.addPass(mlir::bufferization::createOneShotBufferizePass());
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
  mlir::bufferization::buildBufferDeallocationPipeline(
      pm, mlir::bufferization::BufferDeallocationPipelineOptions());
  mercury::buildLowerBufferizedToLLVM(pm);
  return pm.run(module);
}

/// A memref of rank 2 as the C interface takes it.
struct Matrix {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};

Matrix matrixOf(void *data, int64_t rows, int64_t columns) {
  return {data, data, 0, {rows, columns}, {columns, 1}};
}

/// The elements of `from` as `type`, and `from` rounded to it.
std::vector<char> convert(std::vector<float> &from, llvm::StringRef type) {
  std::vector<char> bytes;
  for (float &value : from) {
    if (type == "f32") {
      bytes.insert(bytes.end(), (char *)&value, (char *)&value + 4);
      continue;
    }
    llvm::APFloat number(value);
    bool losesInfo;
    number.convert(type == "f16" ? llvm::APFloat::IEEEhalf()
                                 : llvm::APFloat::BFloat(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    uint16_t word = number.bitcastToAPInt().getZExtValue();
    bytes.insert(bytes.end(), (char *)&word, (char *)&word + 2);
    number.convert(llvm::APFloat::IEEEsingle(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    value = number.convertToFloat();
  }
  return bytes;
}

using mercury::bench::median;
using mercury::bench::minimum;

/// Processor time of this thread.
template <typename F> double seconds(F &&f) {
  double start = mercury::bench::threadSeconds();
  f();
  return mercury::bench::threadSeconds() - start;
}

mlir::FailureOr<Result> measure(mlir::MLIRContext &context, const Size &size,
                                const Options &options) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      matmulText(size, options.type, options.form), &context);
  if (!module || failed(compile(*module, options.blocks)))
    return mlir::failure();
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine) {
    llvm::errs() << llvm::toString(machine.takeError()) << "\n";
    return mlir::failure();
  }
  auto target = machine->createTargetMachine();
  if (!target) {
    llvm::errs() << llvm::toString(target.takeError()) << "\n";
    return mlir::failure();
  }
  mlir::ExecutionEngineOptions engineOptions;
  auto transformer = mlir::makeOptimizingTransformer(3, 0, target->get());
  engineOptions.transformer = transformer;
  engineOptions.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  auto engine = mlir::ExecutionEngine::create(*module, engineOptions);
  if (!engine) {
    llvm::errs() << llvm::toString(engine.takeError()) << "\n";
    return mlir::failure();
  }

  auto [m, n, k] = size;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> a(m * k), b(k * n), ours(m * n), theirs(m * n);
  for (float &value : a)
    value = normal(random);
  for (float &value : b)
    value = normal(random);
  std::vector<char> rawA = convert(a, options.type),
                    rawB = convert(b, options.type);
  bool ta = options.form[0] == 't', tb = options.form[1] == 't';
  Matrix ma = ta ? matrixOf(rawA.data(), k, m) : matrixOf(rawA.data(), m, k);
  Matrix mb = tb ? matrixOf(rawB.data(), n, k) : matrixOf(rawB.data(), k, n);
  Matrix mc = matrixOf(ours.data(), m, n);
  Matrix *pa = &ma, *pb = &mb, *pc = &mc;
  auto runOurs = [&] {
    void *arguments[] = {&pa, &pb, &pc};
    llvm::cantFail((*engine)->invokePacked("_mlir_ciface_gemm", arguments));
  };
  auto runTheirs = [&, m = m, n = n, k = k] {
    cblas_sgemm(101, ta ? 112 : 111, tb ? 112 : 111, m, n, k, 1.0f, a.data(),
                ta ? m : k, b.data(), tb ? k : n, 1.0f, theirs.data(), n);
  };
  Result result{size};
  runOurs(), runTheirs();
  double largest = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    largest = std::max(largest, std::fabs(double(theirs[i])));
    result.error =
        std::max(result.error, std::fabs(double(ours[i]) - theirs[i]));
  }
  result.error /= largest;
  std::vector<double> times, others;
  for (int i = 0; i < options.repeat; ++i) {
    times.push_back(seconds(runOurs));
    others.push_back(seconds(runTheirs));
  }
  result.ours = median(times), result.openblas = median(others);
  result.bestOurs = minimum(times);
  result.bestOpenblas = minimum(others);
  return result;
}

Options parseArguments(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    Size size;
    if (argument.consume_front("--repeat="))
      options.repeat = std::max(1, atoi(argument.data()));
    else if (argument.consume_front("--json="))
      options.json = argument;
    else if (argument.consume_front("--blocks="))
      options.blocks = argument;
    else if (argument.consume_front("--type="))
      options.type = argument;
    else if (argument.consume_front("--form="))
      options.form = argument;
    else if (argument.consume_front("--core="))
      options.core = argument;
    else if (sscanf(argv[i], "%ldx%ldx%ld", &size.m, &size.n, &size.k) == 3)
      options.sizes.push_back(size);
    else {
      llvm::errs() << "unknown argument '" << argument << "'\n";
      exit(2);
    }
  }
  if (options.sizes.empty())
    options.sizes = {{1024, 1024, 1024}, {2048, 512, 4096}};
  return options;
}
} // namespace

int main(int argc, char **argv) {
  mercury::bench::selectOpenBlasCore(argc, argv);
  Options options = parseArguments(argc, argv);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  mercury::registerLocalPasses();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mlir::MLIRContext context(registry);

  llvm::outs() << "local GEMM, " << options.type << " (" << options.form
               << "), one thread, against OpenBLAS sgemm, core type "
               << openblas_get_corename() << " (" << openblas_get_config()
               << ")\n";
  llvm::json::Array rows;
  for (const Size &size : options.sizes) {
    mlir::FailureOr<Result> result = measure(context, size, options);
    if (failed(result))
      return 1;
    double flops = 2.0 * size.m * size.n * size.k;
    double ratio = result->openblas / result->ours;
    llvm::outs() << llvm::format(
        "M %5ld N %5ld K %5ld  mercury %9.3f ms %6.1f GF  openblas %9.3f ms "
        "%6.1f GF  ratio %.3f (of minima %.3f)  error %.1e\n",
        size.m, size.n, size.k, result->ours * 1e3, flops / result->ours / 1e9,
        result->openblas * 1e3, flops / result->openblas / 1e9, ratio,
        result->bestOpenblas / result->bestOurs, result->error);
    rows.push_back(llvm::json::Object{
        {"m", size.m},
        {"n", size.n},
        {"k", size.k},
        {"type", options.type},
        {"form", options.form},
        {"mercury_seconds", result->ours},
        {"openblas_seconds", result->openblas},
        {"ratio", ratio},
        {"ratio_of_minima", result->bestOpenblas / result->bestOurs},
        {"relative_error", result->error}});
  }
  llvm::json::Object report{{"benchmark", "local-gemm"},
                            {"repeat", options.repeat},
                            {"openblas_core", openblas_get_corename()},
                            {"results", std::move(rows)}};
  if (options.json.empty()) {
    llvm::outs() << llvm::formatv("{0}\n",
                                  llvm::json::Value(std::move(report)));
    return 0;
  }
  std::error_code error;
  llvm::raw_fd_ostream file(options.json, error);
  if (error) {
    llvm::errs() << options.json << ": " << error.message() << "\n";
    return 2;
  }
  file << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(report)));
  return 0;
}
