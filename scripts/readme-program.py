#!/usr/bin/env python3
"""Prints the Swift of a Markdown page as one program: its blocks in their order, in an asynchronous function.

What the page leaves to its reader, the bytes of a passphrase, is the function's parameter.
"""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as page:
    blocks = re.findall(r"^```swift\n(.*?)^```", page.read(), re.DOTALL | re.MULTILINE)
if not blocks:
    sys.exit("no Swift in " + sys.argv[1])
lines = [line for block in blocks for line in block.splitlines()]
imports = sorted({line for line in lines if line.startswith("import ")})
print("\n".join(imports))
print("\nfunc program(_ characters: [UInt8]) async throws {\n    let bytes = characters.span.bytes")
for line in lines:
    if not line.startswith("import "):
        print("    " + line if line else "")
print("    _ = report\n}\n")
print('try await program(Array("open sesame".utf8))')
