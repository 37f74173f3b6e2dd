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

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

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

//===----------------------------------------------------------------------===//
// Locks
//===----------------------------------------------------------------------===//

/// How long one waits who finds the file in use; writing takes milliseconds.
static constexpr std::chrono::seconds kLongestWait{60};
static constexpr std::chrono::milliseconds kPause{2};

// llvm::LockFileManager takes a lock that is let go and taken anew for one
// whose holder has died, and removes it. A lock of the system's ends with its
// holder.
bool FileLock::take(const std::string &file, std::string &error) {
  path = file + ".lock";
  auto start = std::chrono::steady_clock::now();
  for (;; std::this_thread::sleep_for(kPause)) {
    descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      error = std::generic_category().message(errno);
      return false;
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
      // Whoever held it before may have removed the file since it was opened.
      struct stat held, there;
      if (::fstat(descriptor, &held) == 0 &&
          ::stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
          held.st_dev == there.st_dev)
        return true;
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      error = std::generic_category().message(errno);
      return false;
    }
    ::close(std::exchange(descriptor, -1));
    if (std::chrono::steady_clock::now() - start > kLongestWait) {
      error = "another process holds '" + path + "'";
      return false;
    }
  }
}

FileLock::~FileLock() {
  if (descriptor < 0)
    return;
  ::unlink(path.c_str());
  ::close(descriptor);
}

Verdict KeptFile::lock(FileLock &lock) const {
  std::string error;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    error = "there is no folder '" + folder.str() + "'";
  if (!error.empty() || !lock.take(path, error))
    return Verdict::no("cannot write the " + what + " '" + path +
                       "': " + error);
  return Verdict::ok();
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
