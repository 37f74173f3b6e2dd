//===- distributed-attention.cpp - Attention on ranks and by hand ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention on one rank; on several with K and V gathered before, and as rings;
// and a ring written by hand that calls the same compiled tile (handwritten/).
// All run in this process, in turns, one after the other, and all are verified
// against one reference.
//
//   bench-distributed-attention [--sequence=N] [--heads=N] [--features=N]
//                               [--ranks=N] [--repeat=N] [--json=FILE]
//                               [--core=OPENBLAS_CORETYPE]
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"
#include "OpenBlas.h"
#include "Race.h"
#include "handwritten/RingAttention.h"

#include "Mercury/InitAll.h"

#include "mlir/Parser/Parser.h"

using namespace mercury::bench;
using namespace mercury::run;

int main(int argc, char **argv) {
  selectOpenBlasCore(argc, argv);
  Options options(argc, argv,
                  {{"sequence", "8192"},
                   {"heads", "4"},
                   {"features", "64"},
                   {"ranks", "2"},
                   {"repeat", "9"},
                   {"json", ""},
                   {"core", ""}});
  int64_t sequence = options.number("sequence"),
          heads = options.number("heads"),
          features = options.number("features"),
          ranks = options.number("ranks"), repeat = options.number("repeat");
  if (ranks < 2 || sequence % ranks)
    fail("--ranks must be 2 or more and divide --sequence");
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mercury::registerAllPasses();
  mlir::MLIRContext context(registry);
  JsonLines json(options.text("json"));
  Problem problem = attentionProblem(heads, sequence, features);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      attentionText(heads, sequence, features), &context);
  auto mercury = [&](std::string name, const char *schedule, int64_t ranks) {
    CompileOptions compile;
    compile.topology = "gpu=" + std::to_string(ranks);
    compile.schedule = schedule;
    return makeMercury(std::move(name), *module, compile);
  };
  TileSize block{heads, sequence / ranks, sequence / ranks, features};
  auto engine = compileTile(context, block);

  enum { One, Gathered, Ring, BothWays, Hand };
  std::string count = std::to_string(ranks) + " ranks ";
  Contestants all;
  all.push_back(mercury("1 rank", "replicated", 1));
  all.push_back(mercury(count + "gathered", "context_parallel", ranks));
  all.push_back(mercury(count + "ring", "ring", ranks));
  all.push_back(mercury(count + "both ways", "ring_bidirectional", ranks));
  all.push_back(makeHandwritten(
      count + "ring by hand", ranks,
      std::make_unique<RingAttention>(block, ranks, functionOf(*engine))));
  llvm::outs() << "attention, f32, " << heads << " heads, sequence " << sequence
               << ", " << features << " features, medians and minima of "
               << repeat << "\n";
  Race race(llvm::json::Object{{"benchmark", "distributed-attention"},
                               {"heads", heads},
                               {"sequence", sequence},
                               {"features", features}},
            json);
  race.run(all, problem, repeat);
  race.ratio("speedup, ring", *all[One], *all[Ring], 0.9 * ranks);
  race.ratio("speedup, both ways", *all[One], *all[BothWays]);
  race.ratio("speedup, gathered", *all[One], *all[Gathered]);
  race.ratio("of hand-written", *all[Hand], *all[Ring], 0.97);
  return 0;
}
