#!/usr/bin/env python3
"""Prints a module in which a softmax stands between two contractions.

usage: put-contractions-around.py FILE FUNCTION [DIVISOR]

FUNCTION of FILE, on a tensor of rows x keys or heads x rows x keys, is called
on query times key, and its result is multiplied by values; features are 16.
Extents larger than 16 are divided by DIVISOR, dynamic ones become 4 x 8 x 12.
Further arguments of FUNCTION become arguments of the caller.
"""

import re
import sys

path, name = sys.argv[1:3]
divisor = int(sys.argv[3]) if len(sys.argv) > 3 else 1
text = next(
    part for part in open(path).read().split("// -----") if f"@{name}(" in part
)


def resize(match):
    extents = match[1].rstrip("x").split("x")
    for i, extent in enumerate(extents):
        if extent == "?":
            extents[i] = ("4", "8", "12")[i]
        elif int(extent) > 16:
            extents[i] = str(int(extent) // divisor)
    return f"tensor<{'x'.join(extents)}x"


text = re.sub(r"tensor<((?:[\d?]+x)+)", resize, text)
text = re.sub(r"tensor\.empty\([^)]*\)", "tensor.empty()", text)
arguments = re.search(rf"@{name}\(([^)]*)\)", text)[1].split(", ")
types = [argument.split(": ")[1] for argument in arguments]
others = [f"%other{i}" for i in range(1, len(types))]
more = "".join(f", {other}: {type}" for other, type in zip(others, types[1:]))
shape, element = re.fullmatch(r"tensor<([\dx]+)x(\w+)>", types[0]).groups()
*heads, rows, keys = shape.split("x")


def tensor(*extents):
    return f"tensor<{'x'.join([*heads, *extents, element])}>"


def maps(*operands):
    h = "h, " if heads else ""
    made = (f"affine_map<({h}m, n, f) -> ({h}{dims})>" for dims in operands)
    return f"indexing_maps = [{', '.join(made)}]"


query, key, value = tensor(rows, "16"), tensor(keys, "16"), tensor(keys, "16")
scores, output = tensor(rows, keys), tensor(rows, "16")
print(text.replace("func.func public", "func.func private"))
print(
    f"""
func.func @attention(%q: {query}, %k: {key}, %v: {value}{more}) -> {output} {{
  %zs = arith.constant dense<0.0> : {scores}
  %zo = arith.constant dense<0.0> : {output}
  %s = linalg.contract {maps("m, f", "n, f", "m, n")}
      ins(%q, %k : {query}, {key}) outs(%zs : {scores}) -> {scores}
  %p = func.call @{name}({", ".join(["%s", *others])})
      : ({", ".join(types)}) -> {scores}
  %o = linalg.contract {maps("m, n", "n, f", "m, f")}
      ins(%p, %v : {scores}, {value}) outs(%zo : {output}) -> {output}
  return %o : {output}
}}"""
)
