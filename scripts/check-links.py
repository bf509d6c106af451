#!/usr/bin/env python3
"""Checks that every link of the Markdown files leads somewhere, and that every document is linked.

A relative link must name a file of the repository, and a fragment a heading of it. Links to other hosts are not asked for.
"""

import pathlib
import re
import subprocess
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")


def without_code(text):
    """The text with fenced blocks and code spans blanked out, line by line."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = None
            lines.append("")
        elif mark:
            fence = mark[1]
            lines.append("")
        else:
            lines.append(re.sub(r"(`+).*?\1", "", line))
    return lines


def slug(heading):
    """A heading's fragment by GitHub's rule."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    kept = "".join(c for c in heading.strip().lower() if c in " -_" or unicodedata.category(c)[0] in "LN")
    return kept.replace(" ", "-")


def fragments(path):
    """The fragments of all headings of a file."""
    found, fence = {}, None
    for line in path.read_text(encoding="utf-8").split("\n"):
        if mark := re.match(r"\s*(```+|~~~+)", line):
            fence = None if fence else mark[1]
        if not fence and (heading := re.match(r"#{1,6}\s+(.*?)\s*#*$", line)):
            name = slug(heading[1])
            found[name] = found.get(name, -1) + 1
    return {name if count == 0 else f"{name}-{count}" for name, last in found.items() for count in range(last + 1)}


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [ROOT / name for name in listed.stdout.split()]
    # A catalogue's links are DocC's: `make docs` checks them.
    files = [file for file in files if file.exists() and ".docc" not in str(file)]
    faults, linked, known = [], set(), {}
    for file in files:
        for number, line in enumerate(without_code(file.read_text(encoding="utf-8")), 1):
            for target in LINK.findall(line):
                if re.match(r"[a-z][a-z0-9+.-]*:", target):
                    continue
                name, _, fragment = target.partition("#")
                path = (file.parent / name).resolve() if name else file
                place = f"{file.relative_to(ROOT)}:{number}"
                if not path.exists():
                    faults.append(f"{place}: {target} doesn't exist")
                    continue
                if path != file:
                    linked.add(path)
                if fragment and path.suffix == ".md":
                    known.setdefault(path, fragments(path))
                    if fragment not in known[path]:
                        faults.append(f"{place}: {name or file.name} has no heading #{fragment}")
    for path in sorted((ROOT / "Documentation").rglob("*")):
        if path.is_file() and path.suffix in (".md", ".svg") and path not in linked and path.name != "README.md":
            faults.append(f"{path.relative_to(ROOT)}: no document links to it")
    print("\n".join(faults) if faults else f"{len(files)} documents: every link leads somewhere")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
