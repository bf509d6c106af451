#!/usr/bin/env python3
"""Runs the parts of a `make`, counts the processor time that they take, and keeps their output in a file.

costs.py run [--build|--tests|--script] PART COMMAND...
                              runs the command, notes the processor time of it and of all processes it waited for, and exits
                              as the command did. What it says goes to .build/test-output.txt, and what scripts/shown.py finds
                              worth it to the terminal; without an option it all goes to the terminal. Where the command fails,
                              prints the table of what was done until then, and again the lines about failures
costs.py table                prints a line for each part, their sum, and where the output is

The rows stand in .build/costs, and the output, until another make begins; `COSTS_RUN` names the make that a part belongs to.
"""

import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
import shown

BUILD = pathlib.Path(__file__).resolve().parent.parent / ".build"
ROWS, OUTPUT, EVENTS = BUILD / "costs", BUILD / "test-output.txt", BUILD / "test-events.jsonl"
MAKE = os.environ.get("COSTS_RUN", "none")
# The first line of the output, which says whose it is.
FIRST = f"make {MAKE}"
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
# The most lines about failures that are said again at the end.
MOST_FAILURES = 40
KINDS = {
    "--build": shown.Build, "--script": shown.Script,
    "--tests": lambda part, show: shown.Tests(part, show, str(EVENTS)),
}


def show(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(kind, part, command):
    BUILD.mkdir(exist_ok=True)
    begun = time.monotonic()
    output = kept_output(part) if kind else None
    view = KINDS.get(kind, shown.Everything)(part, show)
    # Ctrl-C reaches the command too, which ends by itself; this process stays to note what it took.
    child = subprocess.Popen(
        view.command(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT if kind else None)
    signal.signal(signal.SIGINT, lambda *_: None)
    reader = threading.Thread(target=pass_on, args=(child.stdout, view, output), daemon=True)
    reader.start()
    status = child.wait()
    # A process that the command left behind may hold the pipe open.
    reader.join(timeout=10)
    status = status if status >= 0 else 128 - status
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.monotonic() - begun
    view.end(status, duration(wall))
    mode = "a" if rows_of_this_make() else "w"
    with ROWS.open(mode) as rows:
        print(MAKE, part, used.ru_utime, used.ru_stime, wall, status, sep="\t", file=rows)
    if status:
        table()
        for line in view.failures[:MOST_FAILURES]:
            show(line)
        if len(view.failures) > MOST_FAILURES:
            show(f"and {len(view.failures) - MOST_FAILURES} lines more")
    return status


def kept_output(part):
    """The file of this make's output, which is begun anew, and named, with its first part."""
    isBegun = has_output()
    output = OUTPUT.open("ab" if isBegun else "wb")
    if not isBegun:
        output.write(f"{FIRST}\n".encode())
        show(f"All output goes to {named(OUTPUT)}; here stand results and failures.")
    output.write(f"\n== {part}\n".encode())
    output.flush()
    return output


def has_output():
    """Whether the file is of this make, which its first line says."""
    if not OUTPUT.exists():
        return False
    with OUTPUT.open(errors="replace") as output:
        return output.readline().strip() == FIRST


def named(path):
    return os.path.relpath(path)


def pass_on(lines, view, output):
    """Keeps each line as it comes, and has it looked at."""
    for line in lines:
        # Swift Testing takes a pipe for a terminal.
        line = COLOUR.sub(b"", line)
        if output:
            output.write(line)
            output.flush()
        view.line(line.decode(errors="replace").rstrip("\n"))


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
    show(f"{'processor time':<36}{'user + system':>14}{'elapsed':>14}")
    total = elapsed = 0.0
    for part, user, system, wall, status in rows:
        used = float(user) + float(system)
        total, elapsed = total + used, elapsed + float(wall)
        note = "" if status == "0" else "  failed"
        show(f"  {part:<34}{duration(used):>14}{duration(float(wall)):>14}{note}")
    show(f"  {'all':<34}{duration(total):>14}{duration(elapsed):>14}")
    if has_output():
        show(f"All output stands in {named(OUTPUT)}.")


arguments = sys.argv[1:]
if arguments[:1] == ["run"]:
    chosen = arguments[1] if arguments[1:2] and arguments[1] in KINDS else None
    rest = arguments[2:] if chosen else arguments[1:]
    if len(rest) > 1:
        sys.exit(run(chosen, rest[0], rest[1:]))
if arguments == ["table"]:
    sys.exit(table())
sys.exit(__doc__)
