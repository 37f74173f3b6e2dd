//===- Passes.td - Passes that choose ----------------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_PASSES_TD
#define MERCURY_TUNING_PASSES_TD

include "mlir/Pass/PassBase.td"

def AutotunePass : Pass<"mercury-autotune", "::mlir::ModuleOp"> {
  let summary = "Give operators the schedules that the cost model finds best";
  let description = [{
    In each function every operator gets a schedule; those that have one keep it.
    Contractions (attention in its online form among them) get those with which
    all of them together are fastest, or what `objective` says, of the best that
    the search finds for each where others leave its inputs, and that a rank can
    hold. All other operators follow, as by `mercury-set-schedule`. A remark at
    each contraction says in words what was chosen, what it costs and what bounds
    it; with `o` what was found is written as mercury-tune writes it.

    Options mean what they mean for mercury-tune. With `database` a schedule that
    is found there for the same operator, types and topology is taken; what is
    found is added.

    Precondition: static shapes, attention expanded (`mercury-expand-attention`).
    Postcondition: all operators have a legal schedule; those of contractions fit.

    ```mlir
    linalg.matmul ins(%a, %b) outs(%c)
    // becomes
    linalg.matmul {commir.schedule = #commir.schedule<"loops [...">} ins(%a, %b) outs(%c)
    ```
  }];
  let options = [
    Option<"topology", "topology", "std::string", "\"\"",
           "Machine, as of mercury-set-schedule; empty: the module's">,
    Option<"entry", "entry", "std::string", "\"\"",
           "Function to tune; empty: all">,
    Option<"objective", "objective", "std::string", "\"time\"",
           "time, memory, both (both:0.3 weighs memory by 0.3), bytes (over the "
           "slowest level), slowdown:node=2 or worst:2 (seconds where a level, "
           "or any, is slower)">,
    Option<"inputs", "inputs", "std::string", "\"\"",
           "Where inputs enter that have as many dimensions: [{}, {gpu}]">,
    Option<"results", "results", "std::string", "\"\"",
           "The same, of where results leave">,
    Option<"memoryLimit", "memory-limit", "std::string", "\"\"",
           "Bytes that a rank may hold (8GiB); empty: what the device can "
           "reserve">,
    Option<"budget", "budget", "std::string", "\"30s\"",
           "Time for each operator">,
    Option<"local", "local", "std::string", "\"codegen\"",
           "Local compute: codegen, blas or loops">,
    ListOption<"kernels", "kernels", "std::string",
               "Registered kernels that a schedule may patch in where achieved "
               "rates of the device say that it is faster so">,
    Option<"database", "database", "std::string", "\"\"",
           "File of schedules that were found before">,
    ListOption<"validFor", "valid-for", "std::string",
               "Loops for other extents of which entries of the database are "
               "to be good">,
    Option<"top", "top", "uint64_t", "5", "Schedules to write">,
    ListOption<"against", "against", "std::string",
               "Known designs to write beside them: all, or names">,
    Option<"sensitivity", "sensitivity", "bool", "false",
           "The table also says how times depend on levels">,
    Option<"emit", "emit", "std::string", "\"table\"",
           "What to write: table, json or html">,
    Option<"output", "o", "std::string", "\"\"",
           "File to write what was found to; empty: none">];
  let dependentDialects = ["::mercury::commir::CommIRDialect"];
}

#endif // MERCURY_TUNING_PASSES_TD
