//===- TopologyOps.td - The machine ------------------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_TOPOLOGYOPS_TD
#define MERCURY_DIALECT_COMMIR_IR_TOPOLOGYOPS_TD

include "Mercury/Dialect/CommIR/IR/CommIRAttrs.td"
include "mlir/IR/SymbolInterfaces.td"

def CommIR_TopologyOp : CommIR_Op<"topology", [Symbol]> {
  let summary = "the machine that functions of this module run on";
  let description = [{
    Declares the levels of the machine, outermost first, and its device. Ranks
    count row-major over the levels.

    ```mlir
    commir.topology @two_nodes levels [#commir.level<node, 2>,
                                       #commir.level<gpu, 2>]
    ```

    **Constraints:**
    - (C1) there is a level, their names are unique and not empty;
    - (C2) sizes are positive, their product is at most 2^20;
    - (C3) figures are finite and not negative, fractions at most 1,
      `reservable` is at most `memory` (where that is given);
    - (C4) `shared_by` divides the ranks of its level, and ports do not cross
      its coordinates unless they hold whole ones; levels of one domain agree
      on it;
    - (C5) curves are those of primitives that the level allows, achieved rates
      those of element types with a peak, each said once.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, CommIR_LevelArrayAttr:$levels,
                       OptionalAttr<CommIR_DeviceAttr>:$device);
  let assemblyFormat = [{
    $sym_name `levels` $levels (`device` $device^)? attr-dict
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "const ::mercury::TopologyModel &":$model)>];
  let extraClassDeclaration = [{
    ::mercury::TopologyModel getModel();
  }];
  let hasVerifier = 1;
}

#endif
