#!/usr/bin/env python3
"""Runs SQLite's test files on sealed databases and on plain ones with 48 reserved bytes, and compares the failures.

suite.py FOLDER EXTENSION [OPTION...] [FILE...]  runs the test files that were compared before, or those named, of FOLDER/source/test
                                                 with FOLDER/testfixture
    --all        runs all test files
    --trial      runs some files that have differences of each class, and some that have none
    --resume     keeps the results in FOLDER/results.json of an earlier run with the same extension, and runs what is missing
    --seconds N  ends each file after N seconds of processor time instead of 600; a later --resume with more repeats those it ended

Each file is a process of its own in a folder of its own; short ones come first, and each result is kept as soon as it is known. A case that fails on one kind of database alone is a difference, as is a file
that doesn't come to its end on one kind alone. All differences stand in `expected-differences` beside this script; a difference that
doesn't, and an entry without its difference, are errors.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

import differences
import processes

HERE = pathlib.Path(__file__).resolve().parent

# Files that run other files, and those that measure speed.
DRIVERS = """all async extraquick fts3 full mallocAll memleak permutations quick rbu rtree session soak veryquick""".split()

TRIAL = """backup2 busy2 cachespill chunksize incrvacuum io journal2 jrnlmode lock mmap1 pagesize pragma rowallock securedel2 select1
    syscall tempdb2""".split()


# Parts of the names of files that take long: those that inject faults, and those that SQLite leaves out of its quick runs.
LONG = re.compile("malloc|ioerr|fault|crash|big|stress|fuzz|thread|soak|all$|full|misuse|kill|fts|savepoint6|sort|zerodamage|walro|e_walckpt")


def test_files(folder):
    names = sorted(path.stem for path in (folder / "source/test").glob("*.test"))
    return [name for name in names if name not in DRIVERS and not name.startswith("speed")]


def run(folder, name, extension, limit_seconds):
    """One test file: how it ended, the number of its cases, the names of those that failed, and the processor time."""
    work = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder / "work"))
    log = folder / ("sealed" if extension else "plain") / f"{name}.log"
    end, seconds = processes.run(
        folder, [folder / "testfixture", *([HERE / "sealed.tcl"] if extension else []), folder / f"source/test/{name}.test"],
        work, log, extension, seconds=limit_seconds)
    text = log.read_text("utf-8", "replace")
    count = re.search(r"^(\d+) errors out of (\d+) tests", text, re.MULTILINE)
    failed = re.findall(r"^! (\S+) expected:", text, re.MULTILINE)
    failed += re.findall(r"^(\S+)\.\.\.\s*\nError: ", text, re.MULTILINE)
    listed = re.search(r"^!Failures on these tests: (.*)$", text, re.MULTILINE)
    if listed:
        failed += listed.group(1).split()
    if not count and not end:
        end = "stops"
    return {"end": end, "cases": int(count.group(2)) if count else 0, "failed": sorted(set(failed)),
            "seconds": seconds, "limit": limit_seconds}


def run_all(folder, names, extension, kept, limit_seconds):
    """The results of all files on both kinds of databases. Those in `kept` aren't run again, unless a lower limit ended them; each result
    is written to FOLDER/results.json when it is known."""
    results = {kind: dict(kept.get(kind, {})) for kind in ("plain", "sealed")}
    with concurrent.futures.ThreadPoolExecutor(processes.AT_ONCE) as pool:
        running = {}
        for name in sorted(names, key=lambda name: (bool(LONG.search(name)), name)):
            for kind in ("plain", "sealed"):
                before = results[kind].get(name)
                if not before or before["end"] == "endless" and before["limit"] < limit_seconds:
                    job = pool.submit(run, folder, name, extension if kind == "sealed" else None, limit_seconds)
                    running[job] = (kind, name)
        for done in concurrent.futures.as_completed(running):
            kind, name = running[done]
            results[kind][name] = done.result()
            # A run that is stopped here leaves the file before or the file after.
            (folder / "results.new").write_text(json.dumps(results, indent=1, sort_keys=True))
            os.replace(folder / "results.new", folder / "results.json")
    return {kind: {name: results[kind][name] for name in names} for kind in results}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("extension", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--trial", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--seconds", type=int, default=processes.PROCESSOR_SECONDS)
    options = parser.parse_intermixed_args()
    folder, names = options.folder, options.files
    if options.all: names = test_files(folder)
    if options.trial: names = TRIAL
    names = names or differences.compared_files()
    processes.prepare(folder)
    results = folder / "results.json"
    kept = json.loads(results.read_text()) if options.resume and results.exists() else {}
    return differences.compare(run_all(folder, names, options.extension, kept, options.seconds), names)


if __name__ == "__main__":
    sys.exit(main())
