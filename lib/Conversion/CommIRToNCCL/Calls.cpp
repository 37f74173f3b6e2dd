//===- Calls.cpp - Calls of the communication ABI -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Mercury/Runtime/mercury_nccl.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// NCCL hangs on groups of more point-to-point calls (pytorch#174288).
static constexpr int64_t kMaxCallsPerGroup = 256;

int32_t Communicators::indexOf(const AxisList &axes) {
  auto it = llvm::find(sets, axes);
  if (it == sets.end()) {
    sets.push_back(axes);
    return static_cast<int32_t>(sets.size()) - 1;
  }
  return static_cast<int32_t>(it - sets.begin());
}

CallBuilder::CallBuilder(func::FuncOp function, Value context,
                         const TopologyModel &topology,
                         Communicators &communicators,
                         const LLVMTypeConverter &converter, CallTarget target)
    : function(function), module(function->getParentOfType<ModuleOp>()),
      context(context), topology(topology), communicators(communicators),
      converter(converter), target(target) {}

bool CallBuilder::knows(Operation *op) const {
  if (isa<LaunchOp, RecordEventOp, WaitEventOp>(op))
    return target == CallTarget::Device;
  return isa<RankCoordOp, WaitOp, HopOp, CheckDocumentsOp,
             CommunicationOpInterface>(op);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Value CallBuilder::call(OpBuilder &b, Location loc, StringRef callee,
                        TypeRange results, ValueRange operands) {
  auto function = module.lookupSymbol<func::FuncOp>(callee);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function =
        func::FuncOp::create(b, module.getLoc(), callee,
                             b.getFunctionType(operands.getTypes(), results));
    function.setPrivate();
  }
  auto made = func::CallOp::create(b, loc, function, operands);
  return results.empty() ? Value() : made.getResult(0);
}

Value mercury::bufferAt(OpBuilder &b, Location loc,
                        const LLVMTypeConverter &converter, Value pointer,
                        MemRefType type) {
  Value descriptor =
      MemRefDescriptor::fromStaticShape(b, loc, converter, type, pointer);
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
      .getResult(0);
}

Value CallBuilder::pointer(OpBuilder &b, Location loc, Value buffer) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  // A contiguous view may start inside its buffer.
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getLayout().isIdentity()) {
    auto view = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    Type element = type.getElementType();
    int64_t bytes = element.isIndex()
                        ? 8
                        : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    Value size = arith::ConstantIndexOp::create(b, loc, bytes);
    Value offset = arith::MulIOp::create(b, loc, view.getOffset(), size);
    address = arith::AddIOp::create(b, loc, address, offset);
  }
  Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), integer);
}

Value CallBuilder::i32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value CallBuilder::i64(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 64);
}

Value CallBuilder::text(OpBuilder &b, Location loc, StringRef content) {
  std::string name;
  for (unsigned i = 0;; ++i) {
    name = "mercury_text_" + std::to_string(i);
    auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
    if (!global)
      break;
    auto value = dyn_cast_if_present<StringAttr>(global.getValueOrNull());
    if (value && value.getValue().drop_back() == content)
      return LLVM::AddressOfOp::create(b, loc, global);
  }
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  std::string bytes = content.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  auto global =
      LLVM::GlobalOp::create(top, module.getLoc(), type,
                             /*isConstant=*/true, LLVM::Linkage::Internal, name,
                             b.getStringAttr(bytes));
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// `(rank / inner) mod size` for every axis, row-major over the axes.
Value CallBuilder::coordinate(OpBuilder &b, Location loc,
                              const AxisList &axes) {
  Value rank = call(b, loc, "mercury_rank", b.getI64Type(), context);
  Value sum = i64(b, loc, 0);
  for (const AxisRef &axis : axes) {
    int64_t inner = 1;
    for (const Level &level : llvm::reverse(topology.levels)) {
      if (level.name == axis.level) {
        if (axis.size)
          inner *= level.size / (axis.pre * axis.size);
        break;
      }
      inner *= level.size;
    }
    int64_t size = topology.sizeOf(axis);
    Value at = arith::DivUIOp::create(b, loc, rank, i64(b, loc, inner));
    at = arith::RemUIOp::create(b, loc, at, i64(b, loc, size));
    sum = arith::MulIOp::create(b, loc, sum, i64(b, loc, size));
    sum = arith::AddIOp::create(b, loc, sum, at);
  }
  return sum;
}

CallBuilder::Group CallBuilder::group(OpBuilder &b, Location loc,
                                      const AxisList &axes) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value index = i32(b, loc, communicators.indexOf(axes));
  Group group;
  group.communicator =
      call(b, loc, "mercury_comm", pointer, ValueRange{context, index});
  group.stream =
      call(b, loc, "mercury_comm_stream", pointer, ValueRange{context, index});
  group.coordinate = coordinate(b, loc, axes);
  group.size = topology.sizeOf(axes);
  return group;
}

FailureOr<int32_t> CallBuilder::dataType(Operation *op, Type element,
                                         std::optional<ReductionKind> reduces) {
  if (element.isF32())
    return ncclFloat32;
  if (element.isF64())
    return ncclFloat64;
  if (element.isF16())
    return ncclFloat16;
  if (element.isBF16())
    return ncclBfloat16;
  if (element.isInteger(8))
    return ncclInt8;
  if (element.isInteger(32))
    return ncclInt32;
  if (element.isInteger(64) || element.isIndex())
    return ncclInt64;
  // A byte of 0 or 1 each, of which a largest is one as well and a sum is not.
  if (element.isInteger(1) && (!reduces || *reduces == ReductionKind::Max ||
                               *reduces == ReductionKind::Min))
    return ncclUint8;
  return op->emitOpError() << (reduces ? "reduces" : "moves")
                           << " elements of type " << element
                           << ", which the communication ABI has no type for";
}

std::string CallBuilder::describe(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  Location loc = op->getLoc();
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    text += (" at " + file.getFilename().getValue() + ":" +
             Twine(file.getLine()) + ":" + Twine(file.getColumn()))
                .str();
  return text;
}

void CallBuilder::checked(OpBuilder &b, Operation *op, StringRef callee,
                          ValueRange operands) {
  Location loc = op->getLoc();
  Value result = call(b, loc, callee, b.getI32Type(), operands);
  call(b, loc, "mercury_check", {},
       ValueRange{context, result, text(b, loc, describe(op))});
}

/// The compute stream, or that of the communicator of `axes`.
Value CallBuilder::stream(OpBuilder &b, Location loc, ArrayAttr axes) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (axes.empty())
    return call(b, loc, "mercury_compute_stream", pointer, context);
  Value index = i32(b, loc, communicators.indexOf(toAxisList(axes)));
  return call(b, loc, "mercury_comm_stream", pointer,
              ValueRange{context, index});
}

Value CallBuilder::event(OpBuilder &b, Location loc, int64_t number) {
  return call(b, loc, "mercury_event",
              LLVM::LLVMPointerType::get(b.getContext()),
              ValueRange{context, i32(b, loc, number)});
}

/// On a host, what was issued on the stream is waited for, or its event is
/// recorded.
void CallBuilder::finish(OpBuilder &b, Operation *op, Value stream) {
  if (target == CallTarget::Device)
    return;
  Location loc = op->getLoc();
  auto request = op->getAttrOfType<IntegerAttr>("request");
  if (!request) {
    call(b, loc, "mgpuStreamSynchronize", {}, stream);
    return;
  }
  call(b, loc, "mgpuEventRecord", {},
       ValueRange{event(b, loc, request.getInt()), stream});
}

//===----------------------------------------------------------------------===//
// Groups of sends and receives
//===----------------------------------------------------------------------===//

/// (coordinate + k) mod size as the peer's number.
static Value peer(OpBuilder &b, Location loc, Value coordinate, int64_t k,
                  int64_t size) {
  Value by =
      arith::ConstantIntOp::create(b, loc, ((k % size) + size) % size, 64);
  Value sum = arith::AddIOp::create(b, loc, coordinate, by);
  Value n = arith::ConstantIntOp::create(b, loc, size, 64);
  Value at = arith::RemUIOp::create(b, loc, sum, n);
  return arith::TruncIOp::create(b, loc, b.getI32Type(), at);
}

LogicalResult CallBuilder::allToAll(AllToAllOp op, int32_t type) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Group g = group(b, loc, toAxisList(op.getAxes()));
  auto buffer = cast<MemRefType>(op.getInput().getType());
  int64_t count = buffer.getNumElements() / g.size;
  Value pieces = i64(b, loc, count), dataType = i32(b, loc, type);
  Value send = pointer(b, loc, op.getInput());
  Value receive = pointer(b, loc, op.getOutput());
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  auto piece = [&](Value base, Value index) -> Value {
    Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), index);
    Value offset = arith::MulIOp::create(b, loc, wide, pieces);
    return LLVM::GEPOp::create(b, loc, pointerType, buffer.getElementType(),
                               base, ArrayRef<LLVM::GEPArg>{offset});
  };
  // In round k every rank sends to the rank k ahead.
  for (int64_t first = 0; first < g.size; first += kMaxCallsPerGroup / 2) {
    checked(b, op, "ncclGroupStart", {});
    int64_t last = std::min(g.size, first + kMaxCallsPerGroup / 2);
    for (int64_t k = first; k < last; ++k) {
      Value to = peer(b, loc, g.coordinate, k, g.size);
      Value from = peer(b, loc, g.coordinate, -k, g.size);
      checked(b, op, "ncclSend",
              ValueRange{piece(send, to), pieces, dataType, to, g.communicator,
                         g.stream});
      checked(b, op, "ncclRecv",
              ValueRange{piece(receive, from), pieces, dataType, from,
                         g.communicator, g.stream});
    }
    checked(b, op, "ncclGroupEnd", {});
  }
  finish(b, op, g.stream);
  return success();
}

LogicalResult CallBuilder::permute(PermuteOp op, int32_t type) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Group g = group(b, loc, toAxisList(op.getAxes()));
  auto buffer = cast<MemRefType>(op.getInput().getType());
  Value count = i64(b, loc, buffer.getNumElements());
  Value dataType = i32(b, loc, type);
  checked(b, op, "ncclGroupStart", {});
  auto exchange = [&](Value peerIndex, StringRef callee, Value tile) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         peerIndex, zero);
    auto ifOp = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    Value number =
        arith::IndexCastOp::create(b, loc, b.getI32Type(), peerIndex);
    checked(b, op, callee,
            ValueRange{pointer(b, loc, tile), count, dataType, number,
                       g.communicator, g.stream});
  };
  exchange(op.getDestination(), "ncclSend", op.getInput());
  exchange(op.getSource(), "ncclRecv", op.getOutput());
  checked(b, op, "ncclGroupEnd", {});
  finish(b, op, g.stream);
  return success();
}

LogicalResult CallBuilder::hop(HopOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  // One group per communicator, in the order of the axes: ranks agree on it.
  llvm::MapVector<int32_t, SmallVector<size_t>> tiles;
  for (auto [i, attr] : llvm::enumerate(op.getHops())) {
    AxisList axes;
    for (AxisAttr axis : cast<HopAttr>(attr).getAxes())
      axes.push_back(axis.getValue());
    tiles[communicators.indexOf(axes)].push_back(i);
  }
  SmallVector<Value> streams;
  int64_t numCalls = 0;
  checked(b, op, "ncclGroupStart", {});
  for (auto &[index, members] : tiles) {
    Group g = group(b, loc, communicators.list()[index]);
    streams.push_back(g.stream);
    for (size_t i : members) {
      if (numCalls == kMaxCallsPerGroup) {
        checked(b, op, "ncclGroupEnd", {});
        checked(b, op, "ncclGroupStart", {});
        numCalls = 0;
      }
      numCalls += 2;
      int64_t stride = cast<HopAttr>(op.getHops()[i]).getStride();
      auto buffer = cast<MemRefType>(op.getSources()[i].getType());
      FailureOr<int32_t> type =
          dataType(op, buffer.getElementType(), /*reduces=*/{});
      if (failed(type))
        return failure();
      Value count = i64(b, loc, buffer.getNumElements());
      Value element = i32(b, loc, *type);
      checked(b, op, "ncclSend",
              ValueRange{pointer(b, loc, op.getSources()[i]), count, element,
                         peer(b, loc, g.coordinate, -stride, g.size),
                         g.communicator, g.stream});
      checked(b, op, "ncclRecv",
              ValueRange{pointer(b, loc, op.getTargets()[i]), count, element,
                         peer(b, loc, g.coordinate, stride, g.size),
                         g.communicator, g.stream});
    }
  }
  checked(b, op, "ncclGroupEnd", {});
  if (target == CallTarget::Device)
    return success();
  // The event stands for all streams: later ones are joined into the first.
  for (Value stream : ArrayRef(streams).drop_front()) {
    auto request = op.getRequestAttr();
    if (!request) {
      call(b, loc, "mgpuStreamSynchronize", {}, stream);
      continue;
    }
    Value joined = event(b, loc, request.getInt());
    call(b, loc, "mgpuEventRecord", {}, ValueRange{joined, stream});
    call(b, loc, "mgpuStreamWaitEvent", {}, ValueRange{streams[0], joined});
  }
  finish(b, op, streams[0]);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static int32_t reductionOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return ncclSum;
  case ReductionKind::Prod:
    return ncclProd;
  case ReductionKind::Max:
    return ncclMax;
  case ReductionKind::Min:
    return ncclMin;
  }
  return ncclSum;
}

LogicalResult CallBuilder::replace(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  if (auto rank = dyn_cast<RankCoordOp>(op)) {
    Value value = coordinate(b, loc, toAxisList(rank.getAxes()));
    rank.replaceAllUsesWith(
        arith::IndexCastOp::create(b, loc, b.getIndexType(), value)
            .getResult());
    op->erase();
    return success();
  }
  if (auto wait = dyn_cast<WaitOp>(op)) {
    if (target == CallTarget::Device)
      return op->emitOpError("makes the host wait, which programs for devices "
                             "do not: run mercury-insert-events before");
    call(b, loc, "mgpuEventSynchronize", {}, event(b, loc, wait.getRequest()));
    op->erase();
    return success();
  }
  if (auto record = dyn_cast<RecordEventOp>(op)) {
    call(b, loc, "mgpuEventRecord", {},
         ValueRange{event(b, loc, record.getEvent()),
                    stream(b, loc, record.getStream())});
    op->erase();
    return success();
  }
  if (auto wait = dyn_cast<WaitEventOp>(op)) {
    call(b, loc, "mgpuStreamWaitEvent", {},
         ValueRange{stream(b, loc, wait.getStream()),
                    event(b, loc, wait.getEvent())});
    op->erase();
    return success();
  }
  if (auto launched = dyn_cast<LaunchOp>(op)) {
    if (failed(launch(launched)))
      return failure();
    op->erase();
    return success();
  }
  if (auto check = dyn_cast<CheckDocumentsOp>(op)) {
    checkDocuments(check);
    op->erase();
    return success();
  }
  if (auto hops = dyn_cast<HopOp>(op)) {
    if (failed(hop(hops)))
      return failure();
    op->erase();
    return success();
  }
  auto dps = cast<DestinationStyleOpInterface>(op);
  Value output = dps.getDpsInits()[0];
  auto outputType = cast<MemRefType>(output.getType());
  std::optional<ReductionKind> reduces;
  if (auto reduce = dyn_cast<AllReduceOp>(op))
    reduces = reduce.getKind();
  else if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    reduces = scatter.getKind();
  FailureOr<int32_t> type = dataType(op, outputType.getElementType(), reduces);
  if (failed(type))
    return failure();
  if (auto exchange = dyn_cast<AllToAllOp>(op)) {
    if (failed(allToAll(exchange, *type)))
      return failure();
    op->erase();
    return success();
  }
  if (auto permutation = dyn_cast<PermuteOp>(op)) {
    if (failed(permute(permutation, *type)))
      return failure();
    op->erase();
    return success();
  }
  ArrayAttr axes = cast<CommunicationOpInterface>(op).getCommunicationAxes();
  Group g = group(b, loc, toAxisList(axes));
  Value element = i32(b, loc, *type);
  Value out = pointer(b, loc, output);
  if (auto gather = dyn_cast<AllGatherOp>(op)) {
    auto input = cast<MemRefType>(gather.getInput().getType());
    checked(b, op, "ncclAllGather",
            ValueRange{pointer(b, loc, gather.getInput()), out,
                       i64(b, loc, input.getNumElements()), element,
                       g.communicator, g.stream});
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
    checked(b, op, "ncclReduceScatter",
            ValueRange{pointer(b, loc, scatter.getInput()), out,
                       i64(b, loc, outputType.getNumElements()), element,
                       i32(b, loc, reductionOf(scatter.getKind())),
                       g.communicator, g.stream});
  } else if (auto reduce = dyn_cast<AllReduceOp>(op)) {
    checked(b, op, "ncclAllReduce",
            ValueRange{out, out, i64(b, loc, outputType.getNumElements()),
                       element, i32(b, loc, reductionOf(reduce.getKind())),
                       g.communicator, g.stream});
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    Value root =
        arith::IndexCastOp::create(b, loc, b.getI32Type(), broadcast.getRoot());
    checked(b, op, "ncclBroadcast",
            ValueRange{pointer(b, loc, broadcast.getInput()), out,
                       i64(b, loc, outputType.getNumElements()), element, root,
                       g.communicator, g.stream});
  } else {
    return op->emitOpError("has no call in the communication ABI");
  }
  finish(b, op, g.stream);
  op->erase();
  return success();
}
