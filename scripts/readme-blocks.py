#!/usr/bin/env python3
"""Prints the shell blocks of a Markdown page that have one kind, in their order.

Usage: readme-blocks.py PAGE KIND. The first line of such a block is ```sh KIND. README's kinds are `install` and `try`, whose commands
are run as they stand by scripts/test.d/60-readme-commands.sh and scripts/fresh-machine.sh, and `other`, whose commands take too long;
Packages.md has `instance`, which scripts/soak.d/62-packages.sh runs."""

import re
import sys

page, kind = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    text = file.read()
blocks = re.findall(r"^```sh (\S+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
if unmarked := re.findall(r"^```(?:sh|bash|shell)\n", text, re.MULTILINE):
    sys.exit(f"{page}: {len(unmarked)} shell blocks have no kind: ```sh install, ```sh try or ```sh other")
if unknown := {found for found, _ in blocks} - {"install", "try", "instance", "other"}:
    sys.exit(f"{page}: unknown kinds of shell blocks: {', '.join(sorted(unknown))}")
chosen = [block for found, block in blocks if found == kind]
if not chosen:
    sys.exit(f"{page}: no block of the kind {kind}")
sys.stdout.write("".join(chosen))
