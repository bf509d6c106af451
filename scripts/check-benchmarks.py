#!/usr/bin/env python3
"""Checks the types of the benchmarks without building them: scripts/check-benchmarks.py BUILD

BUILD is a folder that holds the built package (BUILD/release/Modules). `make test` leaves the benchmarks out of its build; without this
check a renamed function would break `make bench` alone. The compiler's settings are the package's own.
"""

import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# SwiftPM names a package by its folder.
PACKAGE = re.sub(r"\W", "_", ROOT.name.lower())
STRICT = ["-swift-version", "6", "-strict-memory-safety", "-warnings-as-errors", "-package-name", PACKAGE]
STRICT += [word for name in ("ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault")
           for word in ("-enable-upcoming-feature", name)]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folders = {path.parent for path in ROOT.glob("Benchmarks/*/*.swift")}
    programs = {folder for folder in folders if (folder / "main.swift").exists()}
    flags = [*STRICT, "-I", build / "release/Modules", *runpy.run_path(str(ROOT / "scripts/make-docs.py"))["module_flags"](build)]
    failed = False
    with tempfile.TemporaryDirectory(prefix="sealite-benchmarks-") as work:
        for headers in sorted(ROOT.glob("Benchmarks/*/include")):
            modulemap = pathlib.Path(work, f"{headers.parent.name}.modulemap")
            modulemap.write_text(f'module {headers.parent.name} {{ umbrella "{headers}" export * }}')
            flags += ["-Xcc", f"-fmodule-map-file={modulemap}"]
        # The libraries first: programs import them.
        for folder in sorted(folders - programs) + sorted(programs):
            made = ["-emit-module", "-o", f"{work}/{folder.name}.swiftmodule"] if folder not in programs else ["-typecheck"]
            result = subprocess.run(
                ["swiftc", *flags, "-I", work, "-module-name", folder.name, "-wmo", *made, *sorted(folder.glob("*.swift"))],
                cwd=ROOT, capture_output=True, text=True)
            if result.returncode:
                faults = re.findall(r"^\S+:\d+:\d+: error: .*", result.stderr, flags=re.MULTILINE)
                print("\n".join(faults) or result.stderr, file=sys.stderr)
                failed = True
    if failed:
        sys.exit("benchmarks: these don't compile, so `make bench` can't be built")
    print(f"benchmarks: {len(folders)} targets have the types that they use")


main()
