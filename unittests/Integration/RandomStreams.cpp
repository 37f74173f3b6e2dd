//===- RandomStreams.cpp - Random launches and hops -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomStreams.h"
#include "llvm/ADT/STLExtras.h"

#include <random>
#include <vector>

using namespace mercury::test;

namespace {
/// Writes a function of launches and communication over a few buffers and their
/// halves, in loops and under conditions.
class ProgramWriter {
public:
  explicit ProgramWriter(uint64_t seed) : random(seed) {}

  std::string write() {
    text = R"(
commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]
func.func private @whole(%a: memref<4xf32>, %b: memref<4xf32>) attributes {commir.kernel} { return }
func.func private @half(%a: memref<2xf32>, %b: memref<2xf32>) attributes {commir.kernel} { return }
func.func @f(%a0: memref<4xf32>, %a1: memref<4xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
)";
    std::vector<std::string> buffers = {"%a0", "%a1"};
    for (unsigned i = 0, end = 1 + below(2); i < end; ++i) {
      buffers.push_back("%x" + std::to_string(i));
      text += buffers.back() + " = memref.alloc() : memref<4xf32>\n";
    }
    block(buffers, "", 4 + below(4), 0);
    for (size_t i = 2; i < buffers.size(); ++i)
      text += "memref.dealloc " + buffers[i] + " : memref<4xf32>\n";
    return text + "return\n}\n";
  }

private:
  unsigned below(unsigned end) { return random() % end; }
  std::string fresh() { return "%v" + std::to_string(values++); }
  static std::string type(bool isHalf) {
    return isHalf ? "memref<2xf32, strided<[1], offset: ?>>" : "memref<4xf32>";
  }

  /// One of the buffers, or a half of it.
  std::string pick(const std::vector<std::string> &buffers, bool isHalf) {
    std::string buffer = buffers[below(buffers.size())];
    if (!isHalf)
      return buffer;
    std::string at = fresh(), view = fresh();
    text += at + " = arith.constant " + std::to_string(2 * below(2)) +
            " : index\n" + view + " = memref.subview " + buffer + "[" + at +
            "] [2] [1] : memref<4xf32> to " + type(true) + "\n";
    return view;
  }

  void waitFor(size_t number) {
    auto [request, a, b, type] = flights[number];
    text += "commir.wait " + std::to_string(request) + " for " + a + ", " + b +
            " : " + type + ", " + type + "\n";
    flights.erase(flights.begin() + number);
  }

  /// `step`: the induction variable of the loop around, or "".
  void block(std::vector<std::string> buffers, const std::string &step,
             unsigned length, unsigned depth) {
    size_t outside = flights.size();
    for (unsigned i = 0; i < length; ++i) {
      bool isHalf = below(2);
      switch (unsigned kind = below(depth < 2 ? 8 : 6)) {
      case 0:
      case 1:
      case 2: {
        std::string a = pick(buffers, isHalf), b = pick(buffers, isHalf);
        text += std::string("commir.launch ") + (isHalf ? "@half" : "@whole") +
                " ins(" + a + " : " + type(isHalf) + ") outs(" + b + " : " +
                type(isHalf) + ")\n";
        break;
      }
      case 3:
      case 4: {
        std::string a = pick(buffers, isHalf), b = pick(buffers, isHalf);
        text += "commir.hop " + a + " into " + b + " by [#commir.hop<{" +
                (below(3) ? "gpu" : "node") + "} by 1>]";
        if (below(3)) {
          text += " request " + std::to_string(requests);
          flights.push_back({requests++, a, b, type(isHalf)});
        }
        text += " : " + type(isHalf) + " into " + type(isHalf) + "\n";
        break;
      }
      case 5:
        text += "commir.all_reduce sum " + pick(buffers, false) + " over {" +
                (below(2) ? "gpu" : "node, gpu") + "} : memref<4xf32>\n";
        break;
      case 6: {
        // Two buffers change places after each step.
        std::string iv = fresh(), p = fresh(), q = fresh();
        std::string first = buffers[below(buffers.size())];
        std::string second = buffers[below(buffers.size())];
        if (first == second)
          break;
        text += fresh() + ":2 = scf.for " + iv +
                " = %c0 to %c3 step %c1 iter_args(" + p + " = " + first + ", " +
                q + " = " + second + ") -> (memref<4xf32>, memref<4xf32>) {\n";
        std::vector<std::string> inside = buffers;
        llvm::erase(inside, first);
        llvm::erase(inside, second);
        inside.push_back(p);
        inside.push_back(q);
        block(inside, iv, 2 + below(4), depth + 1);
        text += "scf.yield " + q + ", " + p + " : memref<4xf32>, " +
                "memref<4xf32>\n}\n";
        break;
      }
      default: {
        if (step.empty())
          break;
        std::string condition = fresh();
        text += condition + " = arith.cmpi ne, " + step + ", %c" +
                (below(2) ? "0" : "1") + " : index\nscf.if " + condition +
                " {\n";
        block(buffers, step, 1 + below(3), depth + 1);
        text += "}\n";
      }
      }
      if (flights.size() > outside && below(2))
        waitFor(outside + below(flights.size() - outside));
    }
    while (flights.size() > outside)
      waitFor(outside);
  }

  struct Flight {
    unsigned request;
    std::string a, b, type;
  };
  std::mt19937_64 random;
  std::string text;
  std::vector<Flight> flights;
  unsigned values = 0, requests = 0;
};
} // namespace

std::string mercury::test::writeRandomStreams(uint64_t seed) {
  return ProgramWriter(seed).write();
}
