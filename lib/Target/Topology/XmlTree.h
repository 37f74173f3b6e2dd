//===- XmlTree.h - Elements of an XML file ----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TARGET_TOPOLOGY_XMLTREE_H
#define MERCURY_LIB_TARGET_TOPOLOGY_XMLTREE_H

#include "Mercury/Target/Topology/NodeDescription.h"

#include <map>
#include <memory>

namespace mercury {

struct XmlElement {
  std::string name;
  int64_t line = 0;
  std::map<std::string, std::string, std::less<>> attributes;
  std::vector<std::unique_ptr<XmlElement>> children;

  /// The attribute's text; nothing where the element has none of the name.
  std::optional<std::string_view> get(std::string_view attribute) const;
};

/// The root of a file's elements. Null, with what is wrong in `fault`, where
/// the text is no XML, declares a document type (which could define entities
/// that grow without bound) or nests deeper than a machine does.
std::unique_ptr<XmlElement> parseXml(std::string_view text, FileFault &fault);

} // namespace mercury

#endif // MERCURY_LIB_TARGET_TOPOLOGY_XMLTREE_H
