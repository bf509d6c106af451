#!/usr/bin/env python3
"""Prints the Swift of a Markdown page as one program: its blocks in their order. Examples/Readme has what it prints for README.md."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as page:
    blocks = re.findall(r"^```swift\n(.*?)^```", page.read(), re.DOTALL | re.MULTILINE)
if not blocks:
    sys.exit("no Swift in " + sys.argv[1])
lines = [line for block in blocks for line in block.splitlines()]
imports = sorted({line for line in lines if line.startswith("import ")})
print("// README.md's program, made by scripts/readme-program.py; scripts/test.d/30-readme.sh compares and runs it.\n")
print("\n".join(imports))
print("\nfunc program() async throws {")
for line in lines:
    if line and not line.startswith("import "):
        print("    " + line)
print("}\n\ntry await program()")
