//===- Package.cpp - A program to be checked elsewhere --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package.h"
#include "RankRunner.h"
#include "RunError.h"
#include "Verify.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <cmath>

namespace mercury::run {

static llvm::Error writeFile(llvm::StringRef folder, const llvm::Twine &name,
                             llvm::StringRef content) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << content;
    os.close();
    code = os.error();
  }
  if (code)
    return badInput("cannot write '" + path + "': " + code.message());
  return llvm::Error::success();
}

static std::string shardOf(const HostTensor &global, const ShardSpec &shard,
                           const TopologyModel &topology, int64_t rank) {
  ShardSpec spec = shard;
  spec.global = global.spec;
  std::string bytes(spec.localBytes(), '\0');
  sliceShard(global, spec, topology, rank, bytes.data());
  return bytes;
}

/// The shard of `reference` in f64, NaN where it is padding.
static std::string expectationOf(const HostTensor &reference,
                                 const ShardSpec &shard,
                                 const TopologyModel &topology, int64_t rank) {
  TensorSpec spec = reference.spec;
  spec.element = ElementKind::F64;
  HostTensor wide(spec), exists(spec);
  for (int64_t i = 0; i < spec.numElements(); ++i) {
    wide.set(i, reference.get(i));
    exists.set(i, 1);
  }
  std::string values = shardOf(wide, shard, topology, rank);
  std::string mask = shardOf(exists, shard, topology, rank);
  double padding = std::nan("");
  for (size_t at = 0; at < values.size(); at += sizeof(double))
    if (loadElement(ElementKind::F64, mask.data() + at) == 0)
      storeElement(ElementKind::F64, values.data() + at, padding);
  return values;
}

static llvm::Expected<std::string> describe(const CompiledProgram &program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "function " << program.entry << '\n';
  llvm::Expected<HostLayout> layout =
      layoutRanks(program.topology, program.communicators);
  if (!layout)
    return layout.takeError();
  for (const mercury_host_level &level : layout->levels)
    os << "level " << level.name << ' ' << level.size << '\n';
  for (const std::vector<int32_t> &levels : layout->communicators) {
    os << "communicator";
    for (int32_t level : levels)
      os << ' ' << level;
    os << '\n';
  }
  os << "multiply-adds " << program.multiplyAdds << '\n';
  for (const ShardSpec &shard : program.arguments)
    os << (shard.isNumber ? "number " : "argument ")
       << stringify(shard.global.element) << ' ' << shard.localBytes() << '\n';
  for (const ShardSpec &shard : program.results)
    os << "result " << stringify(shard.global.element) << ' '
       << shard.localBytes() << ' '
       << llvm::format("%g", std::max(errorBound(shard.global.element),
                                      program.leastBound))
       << '\n';
  return text;
}

llvm::Error writePackage(llvm::StringRef folder, const CompiledProgram &program,
                         const std::vector<HostTensor> &arguments,
                         const std::vector<HostTensor> &reference) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return badInput("cannot make the folder '" + folder +
                    "': " + code.message());
  llvm::Expected<std::string> text = describe(program);
  if (!text)
    return text.takeError();
  if (llvm::Error error = writeFile(folder, "package.txt", *text))
    return error;
  for (int64_t rank = 0; rank < program.topology.numRanks(); ++rank) {
    std::string prefix = "rank" + std::to_string(rank);
    for (auto [i, value] : llvm::enumerate(arguments)) {
      const ShardSpec &shard = program.arguments[i];
      std::string bytes =
          shard.isNumber ? std::string(value.data.begin(), value.data.end())
                         : shardOf(value, shard, program.topology, rank);
      if (llvm::Error error =
              writeFile(folder, prefix + ".argument" + llvm::Twine(i), bytes))
        return error;
    }
    for (auto [i, value] : llvm::enumerate(reference))
      if (llvm::Error error = writeFile(
              folder, prefix + ".result" + llvm::Twine(i),
              expectationOf(value, program.results[i], program.topology, rank)))
        return error;
  }
  return llvm::Error::success();
}

} // namespace mercury::run
