#!/usr/bin/env python3
"""Says whether the predicted time of the first file is at most that of the second.

usage: compare-predicted.py TUNED.json DEFAULT.json    (of mercury-run --predict --json)
"""

import json
import sys

tuned, default = (json.load(open(name))["predicted_seconds"] for name in sys.argv[1:])
verdict = "faster than" if tuned < default else "as fast as" if tuned == default else "slower than"
print(f"tuned is {verdict} the default rule: {tuned:.3g} and {default:.3g} s")
