#!/usr/bin/env python3
"""Reads what `mercury-run --json` prints: verified, and no rank does more than 1.1
times its share of the input's multiply-adds.

usage: check-share.py < JSON
"""

import json
import sys

result = json.load(sys.stdin)
share = result["multiply_adds_of_input"] / result["ranks"]
most = max(rank["multiply_adds"] for rank in result["per_rank"])
print(f"{result['entry']} on {result['topology']}: ", end="")
print("verified" if result["verified"] else f"wrong: {result['failures']}", end=", ")
print(f"{most} multiply-adds on a rank, {most / share:.3f} of its share" if share else "no work")
sys.exit(not (result["verified"] and share and most <= 1.1 * share))
