#!/usr/bin/env python3
"""Counts allocations and copies in the loops of IR on buffers.

usage: count-in-loops.py FILE
       count-in-loops.py --schedules TOPOLOGY FILE

The first form counts in FILE. The second one takes FILE, a function at stage 0,
through the compiler with every named schedule for its operator on the topology, up
to overlap, and counts in what comes out, also with local code that is not
vectorized. Exits with 1 if a loop has an allocation or a copy, or if a schedule
gives no loop to look at that should have one.
"""

import re
import subprocess
import sys

# The compiler's phases between stage 3 and mercury-overlap.
BUFFERIZE = [
    "--mercury-annotate-requirements",
    "--mercury-expand-attention",
    "--mercury-materialize-masks",
    "--mercury-make-destinations",
    "--mercury-vectorize-contractions",
    "--eliminate-empty-tensors",
    "--one-shot-bufferize",
    "--cse",
    "--canonicalize",
    "--mercury-vectorize-attention",
    "--buffer-loop-hoisting",
    "--buffer-deallocation-pipeline",
    "--convert-bufferization-to-memref",
    "--mercury-lower-rotation",
    "--canonicalize",
    "--cse",
    "--mercury-overlap",
]
LOOP = re.compile(r"\bscf\.(for|while|parallel|forall)\b.*\{$")
# What a schedule says of an operator that it is not for.
OTHER = re.compile(r"schedule '\w+' is for .*attention, of which")
COUNTED = re.compile(r"\b(memref\.alloca?|memref\.copy|linalg\.copy)\b")


def count_in(text):
    """(number of loops, lines in loops that allocate or copy)."""
    loops, found, inside = 0, [], []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        while inside and indent <= inside[-1]:
            inside.pop()
        if inside and COUNTED.search(line):
            found.append(line.strip())
        if LOOP.search(line):
            loops += 1
            inside.append(indent)
    return loops, found


def report(what, text):
    loops, found = count_in(text)
    print(f"{what}: {loops} loops, {len(found)} allocations and copies in them")
    for line in found:
        print(f"  {line}")
    return loops, bool(found)


def run(command, text=None, refusal=None):
    """What the command prints, or None if it fails with this refusal."""
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode and refusal and refusal.search(done.stderr):
        return None
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def main():
    if sys.argv[1] != "--schedules":
        with open(sys.argv[1], encoding="utf-8") as file:
            sys.exit(report(sys.argv[1], file.read())[1])
    topology, path = sys.argv[2:]
    # Names stand at the start of a line, what they do is indented.
    names = re.findall(r"^(\w+)$", run(["mercury-run", "--list-schedules"]), re.M)
    failed, count = False, 0
    for name in names:
        spmd = run(
            ["mercury-run", path, f"--topology={topology}", f"--schedule={name}"]
            + ["--emit=stage3"],
            refusal=OTHER,
        )
        if spmd is None:
            continue
        count += 1
        rotates = "commir.rotate" in spmd
        for local, passes in (
            ("vectorized", BUFFERIZE),
            ("plain", [p for p in BUFFERIZE if "vectorize" not in p]),
        ):
            text = run(["mercury-opt", *passes], spmd)
            loops, bad = report(f"{name} {local}", text)
            failed |= bad
            if rotates and not loops:
                print(f"{name} {local}: the rotation has become no loop")
                failed = True
    print(f"{count} schedules on {topology}")
    sys.exit(failed)


main()
