#!/usr/bin/env python3
"""Counts the processor time that parts of a `make` take.

costs.py run PART COMMAND...  runs the command, notes the processor time of it and of all processes it waited for, and exits
                              as the command did; where the command fails, prints the table of what was done until then, and
                              again the lines of failed tests, which stand far above in the output of thousands
costs.py table                prints a line for each part and their sum

The rows stand in .build/costs until another make begins; `COSTS_RUN` names the make that a part belongs to.
"""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading
import time

ROWS = pathlib.Path(__file__).resolve().parent.parent / ".build" / "costs"
MAKE = os.environ.get("COSTS_RUN", "none")
# How Swift Testing begins a line about a failure, and how many such lines are repeated.
FAILURE, MOST_FAILURES = "✘".encode(), 40


def run(part, command):
    ROWS.parent.mkdir(exist_ok=True)
    begun = time.monotonic()
    # Ctrl-C reaches the command too, which ends by itself; this process stays to note what it took.
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    signal.signal(signal.SIGINT, lambda *_: None)
    failures = []
    reader = threading.Thread(target=pass_on, args=(child.stdout, failures), daemon=True)
    reader.start()
    status = child.wait()
    # A process that the command left behind may hold the pipe open.
    reader.join(timeout=10)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    mode = "a" if rows_of_this_make() else "w"
    with ROWS.open(mode) as rows:
        print(MAKE, part, used.ru_utime, used.ru_stime, time.monotonic() - begun, status, sep="\t", file=rows)
    if status:
        table()
        sys.stdout.buffer.writelines(failures)
        sys.stdout.buffer.flush()
    return status if status >= 0 else 128 - status


def pass_on(output, failures):
    """Prints each line as it comes, and keeps the first that are about failures."""
    for line in output:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        if FAILURE in line and len(failures) < MOST_FAILURES:
            failures.append(line)


def rows_of_this_make():
    rows = [line.split("\t") for line in ROWS.read_text().splitlines()] if ROWS.exists() else []
    return [row[1:] for row in rows if row[0] == MAKE]


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s"


def table():
    rows = rows_of_this_make()
    if not rows:
        return
    print(f"{'processor time':<36}{'user + system':>14}{'elapsed':>14}")
    total = elapsed = 0.0
    for part, user, system, wall, status in rows:
        used = float(user) + float(system)
        total, elapsed = total + used, elapsed + float(wall)
        note = "" if status == "0" else "  failed"
        print(f"  {part:<34}{duration(used):>14}{duration(float(wall)):>14}{note}")
    print(f"  {'all':<34}{duration(total):>14}{duration(elapsed):>14}", flush=True)


if sys.argv[1:2] == ["run"] and len(sys.argv) > 3:
    sys.exit(run(sys.argv[2], sys.argv[3:]))
if sys.argv[1:] == ["table"]:
    sys.exit(table())
sys.exit(__doc__)
