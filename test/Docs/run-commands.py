#!/usr/bin/env python3
"""Runs the commands of a document, one ```sh block after the other, in the
current folder, with `sh -e`.

A block whose info string ends with `output` shows what the block of commands
before it prints: each of its lines must be printed, in this order. A line that
is `...` (or a comment of it) stands for lines that are left out.

usage: run-commands.py FILE...
"""

import re
import subprocess
import sys

ELLIPSIS = ("...", "// ...")
PROGRESS = re.compile(r"mercury-run: .*, \d+ s so far$")


def blocks(path):
    """(line number, words of the info string, lines) of each fenced block."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if not line.startswith("```"):
            continue
        start = number
        while number < len(lines) and lines[number] != "```":
            number += 1
        if number == len(lines):
            sys.exit(f"{path}:{start}: the block does not end")
        yield start, line[3:].split(), lines[start:number]
        number += 1


def first_missing(shown, printed):
    """Index of the first line of `shown` that is not printed, or None."""
    at, may_skip = 0, True
    for index, line in enumerate(shown):
        if line.strip() in ELLIPSIS:
            may_skip = True
            continue
        found = at
        while found < len(printed) and printed[found].rstrip() != line.rstrip():
            found += 1
        if found == len(printed) or (found != at and not may_skip):
            return index
        at, may_skip = found + 1, False
    return None


def main():
    failed = 0
    for path in sys.argv[1:]:
        count, outputs, printed = 0, 0, []
        for line, info, text in blocks(path):
            if info == ["sh"]:
                count += 1
                done = subprocess.run(
                    ["sh", "-e"],
                    input="\n".join(text) + "\n",
                    text=True,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                )
                printed = [
                    line for line in done.stdout.splitlines() if not PROGRESS.match(line)
                ]
                print(done.stdout, end="")
                if done.returncode:
                    failed += 1
                    print(f"{path}:{line}: the commands exit with {done.returncode}")
            elif info[-1:] == ["output"]:
                outputs += 1
                missing = first_missing(text, printed)
                if missing is not None:
                    failed += 1
                    print(f"{path}:{line + 1 + missing}: the commands do not print this")
        print(f"{path}: {count} blocks of commands, {outputs} outputs")
    sys.exit(1 if failed else 0)


main()
