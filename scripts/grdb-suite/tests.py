#!/usr/bin/env python3
"""Runs GRDB's tests on sealed database files and on plain ones with 48 reserved bytes, and compares the failures.

tests.py FOLDER EXTENSION [CLASS...]  runs all test classes, or those named, of the tests that build.sh built in FOLDER

Each class is a process of its own, with a folder of its own for its files and its own copy of the bundled ones. A test that ends the process
or doesn't end is a failure named TEST/HOW, and the tests after it run in another process. A class with a difference runs a second time, and
the failures of one run alone are printed as unsteady: many tests wait for other threads, with deadlines. All differences stand in
`expected-differences` beside this script; a difference that doesn't, and an entry without its difference, are errors.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "sqlite-suite"))
import differences
import processes

TABLE = pathlib.Path(__file__).resolve().parent / "expected-differences"
PROGRAM = "build/release/GRDBPackageTests.xctest"
RESOURCES = "build/release/GRDB_GRDBTests.resources"
BUNDLED = "Issue1383.sqlite"
# Tests for profiling: each counts to ten million and reads no file.
LEFT_OUT = re.compile(r"DatabaseCursorTests/test\w*Cursor(Step|ForEach)")


def tests(folder):
    """The names of the tests of each class."""
    listed = subprocess.run([folder / PROGRAM, "--list-tests"], check=True, capture_output=True, text=True).stdout
    classes = collections.defaultdict(list)
    for name, test in re.findall(r"^GRDBTests\.(\w+)/(\w+)$", listed, re.MULTILINE):
        if not LEFT_OUT.fullmatch(f"{name}/{test}"):
            classes[name].append(test)
    return dict(classes)


def seal_bundled(folder, extension):
    """Makes FOLDER/sealed.sqlite, the sealed form of the one database file that GRDB's tests bring along, which is in WAL mode."""
    sealed, key = folder / "sealed.sqlite", folder / "work/key"
    for suffix in ("", "-wal", "-shm", "-journal"):
        pathlib.Path(f"{sealed}{suffix}").unlink(missing_ok=True)
    commands = f""".load {extension}
SELECT sealite_unlock_key_file('{folder / "work/anchor.db"}', '{key}');
.open 'file:{folder / RESOURCES / BUNDLED}?mode=ro&immutable=1'
.filectrl reserve_bytes 48
VACUUM INTO 'file:{sealed}?vfs=sealite';
SELECT sealite_unlock_key_file('{sealed}', '{key}');
.open 'file:{sealed}?vfs=sealite'
PRAGMA journal_mode = WAL;
"""
    subprocess.run(["sqlite3", "-bail"], input=commands, check=True, text=True, stdout=subprocess.DEVNULL)
    if not sealed.read_bytes().startswith(b"Sealite"):
        sys.exit(f"grdb-suite: {sealed} isn't sealed")


def run_class(folder, name, cases, extension):
    """One test class: the number of its tests, and the names of those that failed."""
    failed, ended, rounds = set(), set(), 0
    while remaining := [test for test in cases if test not in ended]:
        rounds += 1
        work = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder / "work"))
        # Foundation looks for the bundled files beside the program.
        os.link(folder / PROGRAM, work / "tests.xctest")
        resources = shutil.copytree(folder / RESOURCES, work / pathlib.Path(RESOURCES).name)
        if extension:
            shutil.copy(folder / "sealed.sqlite", resources / BUNDLED)
        (work / "tmp").mkdir()
        log = folder / ("sealed" if extension else "plain") / f"{name}.{rounds}.log"
        how, _ = processes.run(
            folder, [work / "tests.xctest", ",".join(f"GRDBTests.{name}/{test}" for test in remaining)], work, log, extension,
            {"TMPDIR": str(work / "tmp")})
        text = log.read_text("utf-8", "replace")
        started = re.findall(rf"Test Case '{name}\.(\w+)' started", text)
        results = dict(re.findall(rf"Test Case '{name}\.(\w+)' (passed|failed|skipped)", text))
        ended |= set(results)
        failed |= {test for test, result in results.items() if result == "failed"}
        if len(results) < len(remaining):
            # The process ended in the test that was started last, or before the first one.
            last = [test for test in started if test not in results] or remaining[:1]
            failed |= {f"{test}/{how or 'stops'}" for test in last}
            ended |= set(last)
    return {"end": "", "cases": len(cases), "failed": sorted(failed)}


def run_all(folder, classes, names, extension, kept="results.json"):
    """The results of the classes on both kinds of databases, which are kept in a file of FOLDER too."""
    results = {"plain": {}, "sealed": {}}
    with concurrent.futures.ThreadPoolExecutor(processes.AT_ONCE) as pool:
        running = {}
        for name in names:
            for kind in results:
                running[pool.submit(run_class, folder, name, classes[name], extension if kind == "sealed" else None)] = (kind, name)
        for done in concurrent.futures.as_completed(running):
            kind, name = running[done]
            results[kind][name] = done.result()
            (folder / kept).write_text(json.dumps(results, indent=1, sort_keys=True))
    return results


def keep_steady(results, again):
    """Removes what failed in one of two runs alone."""
    for kind in again:
        for name, result in again[kind].items():
            first, second = set(results[kind][name]["failed"]), set(result["failed"])
            for test in sorted(first ^ second):
                print(f"grdb-suite: unsteady: {name}: {test} ({kind})")
            results[kind][name]["failed"] = sorted(first & second)


def main():
    folder, extension = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    classes = tests(folder)
    names = sys.argv[3:] or sorted(classes)
    processes.prepare(folder)
    seal_bundled(folder, extension)
    results = run_all(folder, classes, names, extension)
    different = [name for name in names if differences.differences(results["plain"][name], results["sealed"][name])]
    keep_steady(results, run_all(folder, classes, different, extension, "again.json"))
    return differences.compare(results, names, TABLE, "grdb-suite")


if __name__ == "__main__":
    sys.exit(main())
