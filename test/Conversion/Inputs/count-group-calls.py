#!/usr/bin/env python3
"""Prints how many sends and receives each group of calls of a function has.

usage: count-group-calls.py FUNCTION < IR
"""

import re
import sys

groups, inside = [], False
for line in sys.stdin:
    if "func.func" in line:
        inside = f"@{sys.argv[1]}(" in line
    if not inside:
        continue
    if re.search(r"call @ncclGroupStart\(", line):
        groups.append(0)
    elif re.search(r"call @nccl(Send|Recv)\(", line):
        groups[-1] += 1
print(*groups)
