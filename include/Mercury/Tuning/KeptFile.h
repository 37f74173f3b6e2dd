//===- KeptFile.h - Files that the tuner comes back to ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_KEPTFILE_H
#define MERCURY_TUNING_KEPTFILE_H

#include "Mercury/Schedule/TopologyModel.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace mercury {

/// That a file is its holder's to write, among threads and processes: a file
/// beside it is locked.
class FileLock {
public:
  FileLock() = default;
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

  /// Waits for other holders, at most a minute. On failure `error` says why.
  bool take(const std::string &file, std::string &error);

private:
  std::string path;
  int descriptor = -1;
};

/// A JSON file that people can read, of one format and version. What is none of
/// ours is never written over.
class KeptFile {
public:
  /// `what` stands in messages before the path: "database".
  /// Versions from `oldest` on are read; 0: `version` alone.
  KeptFile(std::string what, std::string format, int64_t version,
           int64_t oldest = 0)
      : what(std::move(what)), format(std::move(format)), version(version),
        oldest(oldest > 0 ? oldest : version) {}

  std::string path;

  /// The contents; nothing where the file does not exist. Not ok where it
  /// cannot be read, or, with `isOurs` false, where it is of another format.
  Verdict read(std::optional<llvm::json::Object> &contents, bool &isOurs) const;
  /// Not ok: the file is refused, and why.
  Verdict refuse(const std::string &why) const;
  /// Moves the file to `path`.refused (with a number where that exists, so that
  /// nothing is lost); `remark` says so after the reason of `refusal`. Not ok
  /// where it cannot be moved.
  Verdict moveAside(const Verdict &refusal, std::string &remark) const;
  /// Keeps others that take it from the file for as long as `lock` lives; waits
  /// for them. Not ok where it cannot be had.
  Verdict lock(FileLock &lock) const;
  /// Puts `contents`, format and version in the place of the file at once.
  Verdict write(llvm::json::Object contents) const;

private:
  std::string what, format;
  int64_t version, oldest;
};

} // namespace mercury

#endif // MERCURY_TUNING_KEPTFILE_H
