//===- CommIRInterfaces.td - What passes ask of ops --------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_COMMIRINTERFACES_TD
#define MERCURY_DIALECT_COMMIR_IR_COMMIRINTERFACES_TD

include "mlir/IR/OpBase.td"

def DistributableOpInterface : OpInterface<"DistributableOpInterface"> {
  let description = [{
    An operator that schedules can distribute. It also implements
    TilingInterface and DestinationStyleOpInterface; its loops here are those of
    its iteration domain.
  }];
  let cppNamespace = "::mercury::commir";
  let methods = [
    InterfaceMethod<"Iterator types of the loops.",
      "::llvm::SmallVector<::mlir::utils::IteratorType>", "getLoops", (ins)>,
    InterfaceMethod<"Extents of the loops; ShapedType::kDynamic if not static.",
      "::llvm::SmallVector<int64_t>", "getExtents", (ins)>,
    InterfaceMethod<[{
      How loops index an operand; nothing when the access depends on data (the
      operand is then needed whole).}],
      "::std::optional<::mlir::AffineMap>", "getOperandMap",
      (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<[{
      Results that are reduced together, as lists of result numbers; every
      result stands in one group.}],
      "::llvm::SmallVector<::llvm::SmallVector<unsigned>>", "getGroups", (ins)>,
    InterfaceMethod<"Whether the group's reduction has a combiner.",
      "bool", "hasCombiner", (ins "unsigned":$group)>,
    InterfaceMethod<[{
      Whether the group's results are their inputs of the same number reduced by
      the combiner over the leading dimension, and nothing else.}],
      "bool", "isPlainReduction", (ins "unsigned":$group)>,
    InterfaceMethod<[{
      The collective's reduction of result `result` over ranks: that of its
      group's combiner or, where the group has a pivot, that of the pivot and of
      what has been rescaled to it. Nothing when no collective has it.}],
      "::std::optional<::mercury::commir::ReductionKind>", "getCollectiveKind",
      (ins "unsigned":$result)>,
    InterfaceMethod<[{
      For a group of coupled results: the result that is reduced first, by
      itself; what it reduces to rescales the others, which are then reduced
      one by one.}],
      "::std::optional<unsigned>", "getPivot", (ins "unsigned":$group), "",
      "return ::std::nullopt;">,
    InterfaceMethod<[{
      The group's members `state` (tensors of results' shapes) rescaled to
      `pivot`, the reduced value of the group's pivot.}],
      "::llvm::SmallVector<::mlir::Value>", "createRescale",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$group, "::mlir::ValueRange":$state,
           "::mlir::Value":$pivot), "", "return ::llvm::to_vector(state);">,
    InterfaceMethod<"Whether the value of result `result`'s init is read.",
      "bool", "readsInit", (ins "unsigned":$result)>,
    InterfaceMethod<[{
      Whether `tensor` is known to hold nothing but the neutral element of the
      reduction into result `result`.}],
      "bool", "isNeutral", (ins "unsigned":$result, "::mlir::Value":$tensor)>,
    InterfaceMethod<[{
      The element by which an input may be extended along loops of its access
      without a change of results: neutral along reductions, anything along
      parallel loops. Nothing when there is none.}],
      "::mlir::TypedAttr", "getPadding", (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<[{
      Multiply-adds of contractions in one execution; dynamic extents count 1.}],
      "int64_t", "countMultiplyAdds", (ins)>,
    InterfaceMethod<[{
      The same where `evaluate` gives the values of index operands, as far as
      they are known: what a mask excludes does not count.}],
      "int64_t", "countMultiplyAddsAt",
      (ins "::llvm::function_ref<::std::optional<int64_t>(::mlir::Value)>"
           :$evaluate), "", [{
        return ::llvm::cast<::mercury::commir::DistributableOpInterface>(
            $_op.getOperation()).countMultiplyAdds();}]>,
    InterfaceMethod<[{
      Called on an operator whose operands have been padded: elements at and
      beyond `extents` of reduction loops must not take part. There is nothing
      to do where the padding is neutral.}],
      "void", "limitReductions",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<int64_t>":$extents), "", "return;">,
    InterfaceMethod<[{
      Which iterations do any work, where not all of them do.}],
      "::std::optional<::mercury::LoopMask>", "getLoopMask",
      (ins), "", "return ::std::nullopt;">,
    InterfaceMethod<[{
      From now on iteration x of loop `loop` stands for that at position(x) of
      `order` (a `#commir.token_order` of the loop's extent); operands have been
      arranged so. There is nothing to do where no iteration knows its number.
      }],
      "void", "setTokenOrder",
      (ins "::mlir::OpBuilder &":$builder, "unsigned":$loop,
           "::mlir::Attribute":$order), "", "return;">,
    InterfaceMethod<[{
      Fills a destination (a tensor of any shape) with the neutral element of
      the reduction into result `result`.}],
      "::mlir::Value", "createNeutral",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$result, "::mlir::Value":$destination)>,
    InterfaceMethod<[{
      Merges `others` into `into`, one value per member of the group, of the
      results' shapes or parts of them, also with the same further dimensions in
      front (partial values); in place of `into`.}],
      "::llvm::SmallVector<::mlir::Value>", "createMerge",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$group, "::mlir::ValueRange":$into,
           "::mlir::ValueRange":$others)>,
    InterfaceMethod<[{
      An ordinary reduction by `getCollectiveKind` of result `result`'s
      `partials` over their leading dimension into `init`.}],
      "::mlir::Value", "createReduction",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$result, "::mlir::Value":$partials,
           "::mlir::Value":$init)>
  ];
}

def CommIR_CommunicationOpInterface : OpInterface<"CommunicationOpInterface"> {
  let description = [{
    An op by which the ranks of a group exchange data.
  }];
  let cppNamespace = "::mercury::commir";
  let methods = [
    InterfaceMethod<"Axes whose ranks take part.", "::mlir::ArrayAttr",
      "getCommunicationAxes", (ins), "", "return $_op.getAxesAttr();">
  ];
}

#endif
