//===- KeptFile.cpp - Files that the tuner comes back to ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/KeptFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mercury;

Verdict KeptFile::refuse(const std::string &why) const {
  return Verdict::no("the " + what + " '" + path + "' is refused: " + why);
}

Verdict KeptFile::read(std::optional<llvm::json::Object> &contents,
                       bool &isOurs) const {
  contents.reset();
  isOurs = true;
  if (!llvm::sys::fs::exists(path))
    return Verdict::ok();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return Verdict::no("cannot read the " + what + " '" + path +
                       "': " + buffer.getError().message());
  isOurs = false;
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return refuse(llvm::toString(value.takeError()));
  llvm::json::Object *root = value->getAsObject();
  if (!root || root->getString("format") != llvm::StringRef(format))
    return refuse("its format is not '" + format + "'");
  std::optional<int64_t> found = root->getInteger("version");
  if (!found || *found < oldest || *found > version)
    return refuse("its version is " +
                  (found ? std::to_string(*found) : "not given") +
                  ", expected " +
                  (oldest < version ? std::to_string(oldest) + " to " : "") +
                  std::to_string(version));
  isOurs = true;
  contents = std::move(*root);
  return Verdict::ok();
}

Verdict KeptFile::moveAside(const Verdict &refusal, std::string &remark) const {
  std::string aside = path + ".refused";
  for (int number = 2; llvm::sys::fs::exists(aside); ++number)
    aside = path + ".refused-" + std::to_string(number);
  if (std::error_code error = llvm::sys::fs::rename(path, aside))
    return Verdict::no(refusal.reason() + "; it cannot be moved to '" + aside +
                       "': " + error.message());
  remark = refusal.reason() + "; it is now '" + aside + "'";
  return Verdict::ok();
}

/// How long one waits who finds the file in use; writing takes milliseconds.
static constexpr std::chrono::seconds kLongestWait{60};

Verdict KeptFile::lock(FileLock &lock) const {
  auto cannotWrite = [&](const std::string &why) {
    lock.reset();
    return Verdict::no("cannot write the " + what + " '" + path + "': " + why);
  };
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    return cannotWrite("there is no folder '" + folder.str() + "'");
  auto start = std::chrono::steady_clock::now();
  for (;;) {
    lock = std::make_unique<llvm::LockFileManager>(path);
    llvm::Expected<bool> isTaken = lock->tryLock();
    if (!isTaken)
      return cannotWrite(llvm::toString(isTaken.takeError()));
    if (*isTaken)
      return Verdict::ok();
    using Result = llvm::WaitForUnlockResult;
    Result result = lock->waitForUnlockFor(kLongestWait);
    if (result == Result::OwnerDied)
      lock->unsafeMaybeUnlock();
    if (result == Result::Timeout ||
        std::chrono::steady_clock::now() - start > kLongestWait)
      return cannotWrite("another process holds '" + path + ".lock'");
  }
}

Verdict KeptFile::write(llvm::json::Object contents) const {
  contents["format"] = format;
  contents["version"] = version;
  llvm::json::Value root = std::move(contents);
  llvm::Error error =
      llvm::writeToOutput(path, [&](llvm::raw_ostream &os) -> llvm::Error {
        os << llvm::formatv("{0:2}\n", root);
        return llvm::Error::success();
      });
  if (error)
    return Verdict::no("cannot write the " + what + " '" + path +
                       "': " + llvm::toString(std::move(error)));
  return Verdict::ok();
}
