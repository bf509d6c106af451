#!/usr/bin/env python3
"""Prints how many source files and tracked files there are, and the largest source file; refuses source files over 600 lines.

A file is a subject of about 100 to 400 lines. Tables that a script makes may be longer: their first line says which.
"""

import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 600
MADE = "// swift-format-ignore-file: made by scripts/"

sizes, breaches = {}, []
for path in sorted((ROOT / "Sources").rglob("*.swift")):
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or not lines[0].startswith(MADE):
        sizes[path] = len(lines)
        if len(lines) > MOST:
            breaches.append(f"{path.relative_to(ROOT)}: {len(lines)} lines, where {MOST} may be; split it by subject")
largest = max(sizes, key=sizes.get)
listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
tracked = "" if listed.returncode else f"{len(listed.stdout.splitlines())} tracked files, "
print(
    f"file-sizes: {tracked}{len(sizes)} source files that no script makes, of {round(statistics.median(sizes.values()))} lines in the median, "
    f"{sum(size <= 15 for size in sizes.values())} of at most 15; the largest is {largest.relative_to(ROOT)} with {sizes[largest]}")
for breach in breaches:
    print(breach, file=sys.stderr)
sys.exit(1 if breaches else 0)
