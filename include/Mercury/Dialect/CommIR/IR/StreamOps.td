//===- StreamOps.td - Work on streams ----------------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_DIALECT_COMMIR_IR_STREAMOPS_TD
#define MERCURY_DIALECT_COMMIR_IR_STREAMOPS_TD

include "Mercury/Dialect/CommIR/IR/CommIRAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Devices with streams: a rank has one compute stream, and one communication
// stream for each set of axes. The host enqueues; a stream does in order what it
// was given.
//===----------------------------------------------------------------------===//

def CommIR_LaunchOp : CommIR_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "enqueues a kernel on the compute stream";
  let description = [{
    Reads the buffers of `ins`; reads and writes those of `outs`. The kernel is a
    function with the attribute `commir.kernel`, or what that has become on a
    device; it takes the inputs, then the outputs, each buffer from its first
    element on.

    ```mlir
    func.func private @add(%a: memref<8xf32>, %b: memref<8xf32>)
        attributes {commir.kernel} {
      linalg.add ins(%a, %b : memref<8xf32>, memref<8xf32>)
                 outs(%b : memref<8xf32>)
      return
    }
    func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
      commir.launch @add ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
      return
    }
    ```

    **Constraints:**
    - (C1) `kernel` names a function that has the attribute `commir.kernel` and no
      result;
    - (C2) operands and arguments of the kernel agree in number and type, but for
      the offset in the layout of a memref;
    - (C3) memrefs are static in shape and strides.
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<AnyType>:$inputs,
                       Variadic<AnyMemRef>:$outputs);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outputs^ `:` type($outputs) `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

class CommIR_EventOp<string mnemonic> : CommIR_Op<mnemonic, [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins I32Attr:$event, CommIR_AxisArrayAttr:$stream);
  let assemblyFormat = "$event `on` custom<Stream>($stream) attr-dict";
  let hasVerifier = 1;
}

def CommIR_RecordEventOp : CommIR_EventOp<"record_event"> {
  let summary = "the event happens when the stream has come here";
  let description = [{
    Recording again moves the event to the new place. `stream` is `compute`, or
    the communication stream of a set of axes.

    ```mlir
    commir.record_event 0 on compute
    commir.wait_event 0 on {gpu}
    ```

    **Constraints:**
    - (C1) the event is not negative;
    - (C2) each axis is an axis of the topology, none twice.
  }];
}

def CommIR_WaitEventOp : CommIR_EventOp<"wait_event"> {
  let summary = "the stream goes on when the event has happened";
  let description = [{
    Waits for where the event was recorded last before the host came here; an
    event that was never recorded has happened. The host does not wait.

    ```mlir
    commir.record_event 1 on {gpu}
    commir.wait_event 1 on compute
    ```

    **Constraints:**
    - (C1) the event is not negative;
    - (C2) each axis is an axis of the topology, none twice.
  }];
}

#endif
