//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "RunError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>
#include <optional>

namespace mercury::run {

static constexpr llvm::StringLiteral magic("\x93NUMPY");

namespace {
/// What the header's dictionary says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};
} // namespace

/// The text after `'key':` in the dictionary.
static std::optional<llvm::StringRef> valueOf(llvm::StringRef dictionary,
                                              llvm::StringRef key) {
  size_t at = dictionary.find(("'" + key + "'").str());
  if (at == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef rest = dictionary.drop_front(at + key.size() + 2).ltrim();
  if (!rest.consume_front(":"))
    return std::nullopt;
  return rest.ltrim();
}

/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
static std::optional<Header> parseHeader(llvm::StringRef text) {
  Header header;
  std::optional<llvm::StringRef> descr = valueOf(text, "descr");
  std::optional<llvm::StringRef> order = valueOf(text, "fortran_order");
  std::optional<llvm::StringRef> shape = valueOf(text, "shape");
  if (!descr || !order || !shape || !descr->consume_front("'") ||
      !shape->consume_front("("))
    return std::nullopt;
  header.descr = descr->take_until([](char c) { return c == '\''; }).str();
  header.fortranOrder = order->starts_with("True");
  llvm::SmallVector<llvm::StringRef> extents;
  shape->take_until([](char c) { return c == ')'; })
      .split(extents, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef extent : extents) {
    int64_t value;
    if (extent.trim().empty())
      continue;
    if (extent.trim().getAsInteger(10, value) || value < 0)
      return std::nullopt;
    header.shape.push_back(value);
  }
  return header;
}

static llvm::StringRef descrOf(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return "<f8";
  case ElementKind::F32:
  case ElementKind::BF16:
    return "<f4";
  case ElementKind::F16:
    return "<f2";
  case ElementKind::I64:
    return "<i8";
  case ElementKind::I32:
    return "<i4";
  case ElementKind::I8:
    return "|i1";
  case ElementKind::I1:
    return "|b1";
  }
  return "";
}

/// How the file's elements are encoded, or nothing when they do not fit.
static std::optional<ElementKind> fileKind(llvm::StringRef descr,
                                           ElementKind wanted) {
  if (wanted == ElementKind::BF16 && (descr == "<V2" || descr == "|V2"))
    return ElementKind::BF16;
  if (descr != descrOf(wanted))
    return std::nullopt;
  return wanted == ElementKind::BF16 ? ElementKind::F32 : wanted;
}

static std::string printShape(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (auto [i, extent] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// The row-major index of the element at position `index` of a column-major
/// array.
static int64_t fromColumnMajor(const std::vector<int64_t> &shape,
                               int64_t index) {
  int64_t result = 0, stride = 1;
  std::vector<int64_t> position(shape.size());
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    position[dim] = index % shape[dim];
    index /= shape[dim];
  }
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    result += position[dim] * stride;
  return result;
}

llvm::Expected<HostTensor>
parseNpy(llvm::StringRef bytes, const TensorSpec &spec, llvm::StringRef name) {
  auto broken = [&] { return badInput("'" + name + "' is not a .npy file"); };
  // Magic, version, length of the header (2 bytes in version 1, else 4).
  llvm::StringRef rest = bytes;
  if (!rest.consume_front(magic) || rest.size() < 4)
    return broken();
  size_t lengthBytes = rest[0] == 1 ? 2 : 4;
  rest = rest.drop_front(2);
  if (rest.size() < lengthBytes)
    return broken();
  uint32_t length = 0;
  std::memcpy(&length, rest.data(), lengthBytes);
  rest = rest.drop_front(lengthBytes);
  if (rest.size() < length)
    return broken();
  std::optional<Header> header = parseHeader(rest.take_front(length));
  if (!header)
    return broken();
  llvm::StringRef data = rest.drop_front(length);

  std::optional<ElementKind> kind = fileKind(header->descr, spec.element);
  if (!kind)
    return badInput("'" + name + "' holds elements of type '" + header->descr +
                    "', but " + stringify(spec.element) + " needs '" +
                    descrOf(spec.element) + "'");
  if (header->shape != spec.shape)
    return badInput("'" + name + "' has shape " + printShape(header->shape) +
                    ", but the program needs " + printShape(spec.shape));
  size_t size = elementBytes(*kind);
  if (data.size() < size * spec.numElements())
    return badInput("'" + name + "' ends after " + llvm::Twine(data.size()) +
                    " of " + llvm::Twine(size * spec.numElements()) +
                    " bytes of data");

  HostTensor tensor(spec);
  if (tensor.data.empty())
    return tensor;
  if (*kind == spec.element && !header->fortranOrder) {
    std::memcpy(tensor.data.data(), data.data(), tensor.data.size());
    return tensor;
  }
  for (int64_t i = 0, e = spec.numElements(); i < e; ++i) {
    int64_t to = header->fortranOrder ? fromColumnMajor(spec.shape, i) : i;
    if (*kind == spec.element)
      std::memcpy(tensor.data.data() + to * size, data.data() + i * size, size);
    else
      tensor.set(to, loadElement(*kind, data.data() + i * size));
  }
  return tensor;
}

llvm::Expected<HostTensor> readNpy(llvm::StringRef path,
                                   const TensorSpec &spec) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return badInput("cannot read '" + path +
                    "': " + buffer.getError().message());
  return parseNpy((*buffer)->getBuffer(), spec, path);
}

std::string printNpy(const HostTensor &tensor) {
  std::string header =
      ("{'descr': '" + descrOf(tensor.spec.element) +
       "', 'fortran_order': False, 'shape': " + printShape(tensor.spec.shape) +
       ", }")
          .str();
  // The data starts at a multiple of 64 bytes, after 10 bytes and the header.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes = magic.str() + std::string("\x01\x00", 2);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  if (tensor.spec.element != ElementKind::BF16) {
    bytes.append(reinterpret_cast<const char *>(tensor.data.data()),
                 tensor.data.size());
    return bytes;
  }
  for (int64_t i = 0, e = tensor.spec.numElements(); i < e; ++i) {
    float value = static_cast<float>(tensor.get(i));
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  return bytes;
}

llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code, llvm::sys::fs::OF_None);
  if (!code) {
    os << printNpy(tensor);
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return badInput("cannot write '" + path + "': " + code.message());
  return llvm::Error::success();
}

} // namespace mercury::run
