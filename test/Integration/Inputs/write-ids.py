#!/usr/bin/env python3
"""Writes the integers 0 to N - 1 as a NumPy file of shape (1, N) and type i64.

usage: write-ids.py N FILE
"""

import struct
import sys

count = int(sys.argv[1])
header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': (1, {count}), }}"
header = header.ljust(117) + "\n"
with open(sys.argv[2], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
    file.write(header.encode() + struct.pack(f"<{count}q", *range(count)))
