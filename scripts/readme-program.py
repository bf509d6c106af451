#!/usr/bin/env python3
"""Prints the Swift of a Markdown page as one program: its blocks in their order, without manifests of packages.

Examples/Readme and Examples/FirstApp have what it prints for README.md and for Documentation/FirstApp.md."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as page:
    blocks = re.findall(r"^```swift\n(.*?)^```", page.read(), re.DOTALL | re.MULTILINE)
blocks = [block for block in blocks if "swift-tools-version" not in block]
if not blocks:
    sys.exit("no Swift in " + sys.argv[1])
lines = [line for block in blocks for line in block.splitlines()]
imports = sorted({line for line in lines if line.startswith("import ")})
print(f"// The program of {sys.argv[1]}, made by scripts/readme-program.py; scripts/test.d/30-readme.sh compares and runs it.\n")
print("\n".join(imports))
print("\nfunc run() async throws {")
for line in lines:
    if line and not line.startswith("import "):
        print("    " + line)
print("}\n\ntry await run()")
