#!/usr/bin/env python3
"""Runs a command with a terminal as its standard error and sends it SIGINT when
that shows a text, or when a file is there. Prints what the command prints, each
state of the terminal's line as a line, and the exit code.

usage: interrupt.py TEXT|FILE.json COMMAND...
"""

import os
import pty
import select
import signal
import subprocess
import sys
import time


def main():
    awaited, command = sys.argv[1], sys.argv[2:]
    master, terminal = pty.openpty()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=terminal, start_new_session=True
    )
    os.close(terminal)
    shown, sent, end = "", False, time.time() + 120
    while time.time() < end:
        ready, _, _ = select.select([master], [], [], 0.02)
        if ready:
            try:
                data = os.read(master, 65536)
            except OSError:  # all have closed it
                break
            shown += data.decode()
        there = os.path.exists(awaited) if awaited.endswith(".json") else awaited in shown
        if there and not sent:
            child.send_signal(signal.SIGINT)
            sent = True
    output = child.communicate(timeout=60)[0].decode()
    for line in shown.replace("\033[K", "").replace("\r", "\n").split("\n"):
        if line.strip():
            print("terminal:", line)
    print(output, end="")
    print("interrupted" if sent else "not interrupted", "exit code", child.returncode)


main()
