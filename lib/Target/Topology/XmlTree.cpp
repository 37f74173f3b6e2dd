//===- XmlTree.cpp - Elements of an XML file ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "XmlTree.h"

#include <expat.h>

using namespace mercury;

std::optional<std::string_view>
XmlElement::get(std::string_view attribute) const {
  auto it = attributes.find(attribute);
  if (it == attributes.end())
    return std::nullopt;
  return it->second;
}

/// Elements inside each other; a switch of switches of switches has eight.
static constexpr size_t maxDepth = 64;

namespace {
struct Builder {
  XML_Parser parser;
  std::unique_ptr<XmlElement> root;
  std::vector<XmlElement *> open;
  FileFault fault;

  int64_t line() const { return int64_t(XML_GetCurrentLineNumber(parser)); }
  void stop(std::string reason) {
    if (fault.reason.empty())
      fault = {line(), std::move(reason)};
    XML_StopParser(parser, XML_FALSE);
  }
};
} // namespace

static void XMLCALL startElement(void *data, const XML_Char *name,
                                 const XML_Char **attributes) {
  auto &builder = *static_cast<Builder *>(data);
  auto element = std::make_unique<XmlElement>();
  element->name = name;
  element->line = builder.line();
  for (; *attributes; attributes += 2)
    element->attributes[attributes[0]] = attributes[1];
  if (builder.open.size() == maxDepth)
    return builder.stop("elements are nested more than " +
                        std::to_string(maxDepth) + " deep");
  XmlElement *added = element.get();
  if (builder.open.empty())
    builder.root = std::move(element);
  else
    builder.open.back()->children.push_back(std::move(element));
  builder.open.push_back(added);
}

static void XMLCALL endElement(void *data, const XML_Char *) {
  auto &builder = *static_cast<Builder *>(data);
  if (!builder.open.empty())
    builder.open.pop_back();
}

static void XMLCALL startDoctype(void *data, const XML_Char *name,
                                 const XML_Char *, const XML_Char *, int) {
  static_cast<Builder *>(data)->stop("document type '" + std::string(name) +
                                     "' is declared, which topologies do not");
}

std::unique_ptr<XmlElement> mercury::parseXml(std::string_view text,
                                              FileFault &fault) {
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), &XML_ParserFree);
  if (!parser || text.size() > size_t(1) << 26) {
    fault = {0, parser ? "file is larger than 64 MiB" : "out of memory"};
    return nullptr;
  }
  Builder builder{parser.get(), nullptr, {}, {}};
  XML_SetUserData(parser.get(), &builder);
  XML_SetElementHandler(parser.get(), startElement, endElement);
  XML_SetStartDoctypeDeclHandler(parser.get(), startDoctype);
  if (XML_Parse(parser.get(), text.data(), int(text.size()), XML_TRUE) ==
      XML_STATUS_OK)
    return std::move(builder.root);
  fault = builder.fault.reason.empty()
              ? FileFault{builder.line(),
                          std::string("not XML: ") +
                              XML_ErrorString(XML_GetErrorCode(parser.get()))}
              : builder.fault;
  return nullptr;
}
