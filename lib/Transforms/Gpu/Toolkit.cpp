//===- Toolkit.cpp - Where CUDA's tools are -------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toolkit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace llvm;
using namespace mercury;

namespace {
struct Place {
  std::string what; ///< as a message names it
  std::string root; ///< "" where there is none
};
} // namespace

static SmallVector<Place> placesToLook(StringRef given) {
  if (!given.empty())
    return {{"option toolkit", given.str()}};
  SmallVector<Place> places;
  for (const char *variable : {"CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"}) {
    const char *root = std::getenv(variable);
    places.push_back({variable, root ? root : ""});
  }
  Place path{"ptxas in PATH", ""};
  if (ErrorOr<std::string> program = sys::findProgramByName("ptxas")) {
    SmallString<128> real;
    if (!sys::fs::real_path(*program, real)) // often a link into the toolkit
      path.root = sys::path::parent_path(sys::path::parent_path(real)).str();
  }
  places.push_back(std::move(path));
  places.push_back({"default", "/usr/local/cuda"});
  return places;
}

Expected<std::string> mercury::findToolkit(StringRef given,
                                           const ToolkitNeeds &needs) {
  SmallVector<StringRef> files;
  if (needs.libdevice)
    files.push_back("nvvm/libdevice/libdevice.10.bc");
  if (needs.ptxas)
    files.push_back("bin/ptxas");
  if (needs.fatbinary)
    files.push_back("bin/fatbinary");
  SmallVector<std::string> looked;
  for (const Place &place : placesToLook(given)) {
    looked.push_back(place.what + " (" +
                     (place.root.empty() ? "none" : place.root) + ")");
    bool hasAll = !place.root.empty();
    for (StringRef file : files) {
      SmallString<128> path(place.root);
      sys::path::append(path, file);
      hasAll = hasAll && sys::fs::exists(path);
    }
    // With nothing needed the compilation still opens the library of a root.
    SmallString<128> library(place.root);
    sys::path::append(library, "nvvm/libdevice/libdevice.10.bc");
    if (hasAll && (!files.empty() || sys::fs::exists(library)))
      return place.root;
  }
  if (files.empty())
    return std::string();
  return createStringError("no CUDA toolkit with " + join(files, " and ") +
                           ", looked in: " + join(looked, ", "));
}
