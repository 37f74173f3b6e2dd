#!/usr/bin/env python3
"""Runs the IR of documents.

Each ```mlir block whose info string says `runnable` goes to mercury-opt, with
what follows that word as options:

    ```mlir runnable -canonicalize

usage: run-blocks.py MERCURY_OPT FILE...
"""

import re
import subprocess
import sys

FENCE = re.compile(r"^```mlir runnable *(.*)$")


def blocks(path):
    """(line number, options, text) of each runnable block of a file."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    number = 0
    while number < len(lines):
        match = FENCE.match(lines[number])
        number += 1
        if not match:
            continue
        start = number
        while number < len(lines) and lines[number] != "```":
            number += 1
        if number == len(lines):
            sys.exit(f"{path}:{start}: the block does not end")
        # Empty lines before it, so that diagnostics name the document's lines.
        yield start, match[1].split(), "\n" * start + "\n".join(lines[start:number])
        number += 1


def main():
    opt, paths = sys.argv[1], sys.argv[2:]
    failed = 0
    for path in paths:
        count = 0
        for line, options, text in blocks(path):
            count += 1
            done = subprocess.run(
                [opt, *options, "-"], input=text, text=True, capture_output=True
            )
            if done.returncode:
                failed += 1
                print(f"{path}:{line}: failed with {' '.join(options)}")
                print(done.stderr.replace("<stdin>", path))
        print(f"{path}: {count} blocks")
    sys.exit(1 if failed else 0)


main()
