//===- CommIRAttrs.td - Attributes of commir ---------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_COMMIRATTRS_TD
#define MERCURY_DIALECT_COMMIR_IR_COMMIRATTRS_TD

include "Mercury/Dialect/CommIR/IR/CommIRDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"

class CommIR_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<CommIR_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def CommIR_ReductionKind : I32EnumAttr<"ReductionKind",
    "a reduction that a collective can make", [
      I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
      I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]> {
  let cppNamespace = "::mercury::commir";
  let genSpecializedAttr = 0;
}
def CommIR_ReductionKindAttr
    : EnumAttr<CommIR_Dialect, CommIR_ReductionKind, "reduction_kind">;

def CommIR_AxisAttr : CommIR_Attr<"Axis", "axis",
    [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let summary = "a level of the topology, or a factor of one";
  let description = [{
    `#commir.axis<gpu>` is a whole level, `#commir.axis<gpu:(1)2>` its outer
    factor 2. As the mapping of a dimension of `scf.forall` it says that the
    dimension runs over the coordinates of the axis.

    **Constraints:**
    - (C1) the level's name is a letter or underscore followed by letters,
      digits and underscores;
    - (C2) the factors are positive and at most 2^20.
  }];
  let parameters = (ins StringRefParameter<"level">:$level, "int64_t":$pre,
                        "int64_t":$size);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::mercury::AxisRef &":$axis), [{
    return $_get($_ctxt, axis.level, axis.pre, axis.size);
  }]>];
  let extraClassDeclaration = [{
    ::mercury::AxisRef getValue() const;
  }];
}

def CommIR_PlacementAttr : CommIR_Attr<"Placement", "placement"> {
  let summary = "per dimension the axes that a tensor is sharded over";
  let description = [{
    `#commir.placement<[{node, gpu}, {} ]>`: dimension 0 is sharded over node
    (major) and gpu, dimension 1 over nothing; every axis that is not named
    holds a replica. `[{gpu} zigzag 4, {} ]`: dimension 0 is stored in the order
    of `#commir.token_order`, and gpu shards that.

    **Constraints:**
    - (C1) its axes are as `#commir.axis` allows them;
    - (C2) no axis is named twice;
    - (C3) its orders are as `#commir.token_order` allows them.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::mercury::Placement &":$placement), [{
    return $_get($_ctxt, ::mercury::print(placement));
  }]>];
  let extraClassDeclaration = [{
    ::mercury::Placement getValue() const;
  }];
}

def CommIR_MaskAttr : CommIR_Attr<"Mask", "mask"> {
  let summary = "which keys a query may see";
  let description = [{
    `#commir.mask<right 0>` is causal; a term says that the query at position p
    sees the keys at positions [p - left, max(p + right + 1, prefix)), where
    what is left out does not limit. Terms joined by `and` intersect:
    `#commir.mask<right 0 prefix 16 and left 99>`.

    **Constraints:**
    - (C1) a term has `left` or `right`, and a prefix, which is positive, only
      beside `right`;
    - (C2) no window is empty: left + right is at least 0.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::mercury::Mask &":$mask), [{
    return $_get($_ctxt, ::mercury::print(mask));
  }]>];
  let extraClassDeclaration = [{
    ::mercury::Mask getValue() const;
  }];
}

def CommIR_TokenOrderAttr : CommIR_Attr<"TokenOrder", "token_order"> {
  let summary = "in which order the elements of a dimension are stored";
  let description = [{
    `#commir.token_order<zigzag 4 of 64>`: of 64 elements in 8 chunks of 8, the
    order has chunks 0, 7, 1, 6, 2, 5, 3, 4. An element's position is where it
    stands in the tensor that is meant, its index where it stands in the order.
    `striped 4 by 2` deals chunks of 2 out to 4 parts, `table [1, 0, 2]` lists
    the chunks.

    **Constraints:**
    - (C1) parts and extents of chunks are positive and at most 2^20, a table is
      a permutation of 0 to its size - 1;
    - (C2) the extent is positive and a multiple of the order's granularity.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text,
                        "int64_t":$extent);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::mercury::TokenOrder &":$order,
                                   "int64_t":$extent), [{
    return $_get($_ctxt, ::mercury::print(order), extent);
  }]>];
  let extraClassDeclaration = [{
    ::mercury::TokenOrder getValue() const;
  }];
}

def CommIR_ScheduleAttr : CommIR_Attr<"Schedule", "schedule"> {
  let summary = "everything chosen for one operator";
  let description = [{
    `#commir.schedule<"loops [rank gpu, -, -] inputs [...] results [...]">`;
    the grammar stands at `print(const Schedule &)`. Whether it is legal is
    asked where an operator has it.

    **Constraints:**
    - (C1) the text is that of a schedule.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::mercury::Schedule &":$schedule), [{
    return $_get($_ctxt, ::mercury::print(schedule));
  }]>];
  let extraClassDeclaration = [{
    ::mercury::Schedule getValue() const;
  }];
}

def CommIR_LevelAttr : CommIR_Attr<"Level", "level"> {
  let summary = "one level of a topology";
  let description = [{
    `#commir.level<gpu, 8, bandwidth 3.7e+11, latency 2.2e-06, launch 1.0e-05,
    shared_by 1, curve all_reduce [(65536, 2.7e+09), (1048576, 4.4e+10)],
    interval [(65536, 0.37), (1048576, 0.21)]>`: the fields of
    `mercury::Level`, in bytes, bytes/s and seconds. What is left out is
    unknown or the ordinary case: all primitives are allowed, links are full
    duplex, devices access each other's memory, each rank has a port of its own.
    A level with a `domain` whose ports' sharing is not said by `shared_by` has
    one port for all ranks inside one coordinate of the domain's outermost level.

    **Constraints:**
    - (C1) fields are known and given once, figures are finite;
    - (C2) primitives are known and named once; each has one curve at most;
    - (C3) sizes of a curve are positive and increase, its figures are positive.
  }];
  let parameters = (ins AttrParameter<"::mercury::Level", "the level",
                                      "const ::mercury::Level &">:$value);
  let hasCustomAssemblyFormat = 1;
}

def CommIR_DeviceAttr : CommIR_Attr<"Device", "device"> {
  let summary = "the device that every rank is";
  let description = [{
    `#commir.device<memory 80000000000, reservable 76000000000, bandwidth
    3.35e+12, peak {bf16 = 9.89e+14}, achieved [gemm bf16 fraction [(1024, 0.3),
    (8192, 0.7)]]>`: the fields of `mercury::DeviceModel`, in bytes, bytes/s,
    operations/s, seconds and watts.

    **Constraints:**
    - (C1) fields and element types are known and given once, figures are
      finite;
    - (C2) sizes of a curve are positive and increase, its figures are positive.
  }];
  let parameters = (ins AttrParameter<"::mercury::DeviceModel", "the device",
                                      "const ::mercury::DeviceModel &">:$value);
  let hasCustomAssemblyFormat = 1;
}

def CommIR_HopAttr : CommIR_Attr<"Hop", "hop"> {
  let summary = "the permutation by which a tile travels";
  let description = [{
    `#commir.hop<{gpu} by 1>`: the rank at coordinate c of the axes receives
    from coordinate c + 1 (mod their size) and sends to c - 1.

    **Constraints:**
    - (C1) there is an axis, and none is named twice.
  }];
  let parameters = (ins ArrayRefParameter<"AxisAttr">:$axes, "int64_t":$stride);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mercury::AxisList getAxisList() const;
  }];
}

def CommIR_AxisArrayAttr : TypedArrayAttrBase<CommIR_AxisAttr, "list of axes">;
def CommIR_HopArrayAttr : TypedArrayAttrBase<CommIR_HopAttr, "list of hops">;
def CommIR_LevelArrayAttr : TypedArrayAttrBase<CommIR_LevelAttr, "list of levels">;

#endif
