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
  let summary = "Give contractions the schedules that the cost model finds best";
  let description = [{
    Of each function, contractions (attention in its online form among them) that
    have no schedule and are not computed from other contractions get the best
    schedule of the model's space: the fastest one whose bytes a rank can hold,
    or what `objective` says. `mercury-set-schedule` gives all other operators
    schedules that follow. A remark says in words what was chosen, what it costs
    and what bounds it.

    With `database` a schedule that is found there for the same operator, types
    and topology is taken; what is found is added.

    Precondition: static shapes, attention expanded (`mercury-expand-attention`).
    Postcondition: those contractions have a legal schedule that fits.

    ```mlir
    linalg.matmul ins(%a, %b) outs(%c)
    // becomes
    linalg.matmul {commir.schedule = #commir.schedule<"loops [...">} ins(%a, %b) outs(%c)
    ```
  }];
  let options = [
    Option<"topology", "topology", "std::string", "\"\"",
           "Topology (node=2,gpu=4) or @symbol; empty: the module's">,
    Option<"objective", "objective", "std::string", "\"time\"",
           "time, memory, or both (both:0.3 weighs memory by 0.3)">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "Bytes that a rank may hold; 0: what the device can reserve">,
    Option<"budget", "budget", "double", "30",
           "Seconds for each operator; 0: no limit">,
    Option<"local", "local", "std::string", "\"codegen\"",
           "Local compute: codegen, blas or loops">,
    ListOption<"kernels", "kernels", "std::string",
               "Registered kernels that a schedule may patch in where achieved "
               "rates of the device say that it is faster so">,
    Option<"database", "database", "std::string", "\"\"",
           "File of schedules that were found before">];
  let dependentDialects = ["::mercury::commir::CommIRDialect"];
}

#endif // MERCURY_TUNING_PASSES_TD
