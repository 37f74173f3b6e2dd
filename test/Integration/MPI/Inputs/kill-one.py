#!/usr/bin/env python3
"""Runs a job of mercury-run, kills one of its ranks, and waits for the rest.

  kill-one.py RANKS COMMAND...

Prints what the job has said, its exit code, and whether all of its processes have
ended within ten seconds.
"""

import os
import signal
import subprocess
import sys
import time


def parents():
    """The parent of every process that is no zombie."""
    result = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/" + pid + "/stat") as stat:
                state, parent = stat.read().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if state != "Z":
            result[int(pid)] = int(parent)
    return result


def below(root, parent):
    """The descendants of `root`."""
    found = {root}
    while True:
        more = {p for p, up in parent.items() if up in found} - found
        if not more:
            return found - {root}
        found |= more


def ranks_of(job):
    """The ranks, each a child of its supervisor, and all processes of the job.

    A supervisor that has not started its rank yet looks like a rank; so the ranks
    are known once every supervisor has a child, and empty before.
    """
    parent = parents()
    family = below(job.pid, parent)
    programs = set()
    for pid in family:
        try:
            name = os.readlink("/proc/%d/exe" % pid)
        except OSError:
            continue
        if os.path.basename(name) == "mercury-run":
            programs.add(pid)
    ranks = sorted(programs - set(parent.values()))
    supervised = len(programs) == 2 * count
    return ranks if supervised and len(ranks) == count else [], family


count = int(sys.argv[1])
job = subprocess.Popen(
    sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
)
deadline = time.time() + 60
while True:
    ranks, family = ranks_of(job)
    if ranks:
        break
    if time.time() > deadline or job.poll() is not None:
        sys.exit("no %d ranks among %s" % (count, sorted(family)))
    time.sleep(0.05)
# Most likely they run the program by now; if not, the same must happen.
time.sleep(3)
os.kill(ranks[1], signal.SIGKILL)
try:
    text, _ = job.communicate(timeout=10)
except subprocess.TimeoutExpired:
    job.kill()
    sys.exit("the job goes on")
print(text)
print("killed process", ranks[1])
print("exit code", job.returncode)
time.sleep(1)
left = [pid for pid in family if pid in parents()]
print("left:", left if left else "nothing")
