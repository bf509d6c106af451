#!/usr/bin/env python3
"""Prints the Swift of a Markdown page as one program, without manifests of packages. One block is the frame: its `run` consists of a
comment, in whose place the other blocks stand in their order, without their imports. With --manifest before the page it prints the
manifest instead.

Examples/Readme and Examples/FirstApp have what it prints for README.md and for Documentation/FirstApp.md."""

import re
import sys

name = sys.argv[-1]
with open(name, encoding="utf-8") as page:
    blocks = re.findall(r"^```swift\n(.*?)^```", page.read(), re.DOTALL | re.MULTILINE)
manifests = [block for block in blocks if "swift-tools-version" in block]
if sys.argv[1] == "--manifest":
    print(*manifests, end="")
    sys.exit(0 if len(manifests) == 1 else f"{name} doesn't have one manifest")
blocks = [block for block in blocks if block not in manifests]
frames = [block for block in blocks if "func run()" in block]
if len(frames) != 1 or len(blocks) == 1:
    sys.exit(f"{name} doesn't have one block of Swift with a function run, and others that stand in it")


def is_import(line):
    return line.startswith("import ")


def split(block):
    lines = block.splitlines()
    return [line for line in lines if is_import(line)], [line for line in lines if not is_import(line)]


imports = sorted({line for block in blocks for line in split(block)[0]})
body = [line for block in blocks if block not in frames for line in split(block)[1] if line]
frame = "\n".join(split(frames[0])[1]).strip()
program, places = re.subn(
    r"^    //.*$", lambda _: "\n".join("    " + line for line in body), frame, flags=re.MULTILINE)
if places != 1:
    sys.exit(f"{name}: the block with the function run needs one comment, in whose place the others stand")
print(f"// The program of {name}, made by scripts/readme-program.py; scripts/test.d/30-readme.sh compares and runs it.\n")
print("\n".join(imports) + "\n")
print(program)
