#!/usr/bin/env python3
"""Verifies a program under each line of a list, with ranks as processes.

  run-schedules.py LIST COMMAND...

A line of the list names a topology and a schedule. Prints one line for each, and
fails when one does.
"""

import subprocess
import sys

failed = False
for line in open(sys.argv[1]):
    if line.startswith("#") or not line.strip():
        continue
    topology, schedule = line.split()
    run = subprocess.run(
        sys.argv[2:] + ["--topology=" + topology, "--schedule=" + schedule],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    good = run.returncode == 0 and " verified" in run.stdout
    print(schedule, topology, "verified" if good else run.stdout)
    failed |= not good
sys.exit(failed)
