#!/usr/bin/env python3
"""Runs SQLite's test files on sealed databases and on plain ones with 48 reserved bytes, and compares the failures.

suite.py FOLDER EXTENSION [FILE...]  runs the test files that were compared before, or those named, of FOLDER/source/test with
                                     FOLDER/testfixture
suite.py FOLDER EXTENSION --all      runs all test files
suite.py FOLDER EXTENSION --trial    runs some files that have differences of each class, and some that have none

Each file is a process of its own in a folder of its own. A case that fails on one kind of database alone is a difference, as is a file
that doesn't come to its end on one kind alone. All differences stand in `expected-differences` beside this script; a difference that
doesn't, and an entry without its difference, are errors.
"""

import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLE = HERE / "expected-differences"
AT_ONCE = 2
# Of processor time, and by the clock, for each file: what else runs on the machine must not decide.
PROCESSOR_SECONDS = 600
CLOCK_SECONDS = 3600

# Files that run other files, and those that measure speed.
DRIVERS = """all async extraquick fts3 full mallocAll memleak permutations quick rbu rtree session soak veryquick""".split()

TRIAL = """backup2 busy2 cachespill chunksize incrvacuum io journal2 jrnlmode lock mmap1 pagesize pragma rowallock securedel2 select1
    syscall tempdb2""".split()


def test_files(folder):
    names = sorted(path.stem for path in (folder / "source/test").glob("*.test"))
    return [name for name in names if name not in DRIVERS and not name.startswith("speed")]


# By the number of the signal.
ENDS = {signal.SIGXCPU: "endless", signal.SIGKILL: "endless", signal.SIGSEGV: "crashes", signal.SIGABRT: "aborts"}


def limit():
    """Called in the child: the rest of the machine comes first."""
    os.nice(max(0, 15 - os.nice(0)))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Some files open as many descriptors as they get.
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))


def run(folder, name, extension):
    """One test file: how it ended, the number of its cases, and the names of those that failed."""
    work = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder / "work"))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SEALITE_")}
    environment["TZ"] = "UTC"
    if extension:
        # A golden file of format 1 gives its key slots to every file that the suite makes.
        shutil.copy(ROOT / "Fixtures/Golden/page-4096.db", folder / "work/anchor.db")
        environment["SEALITE_SUITE_ANCHOR"] = str(folder / "work/anchor.db")
        environment["SEALITE_SUITE_KEY"] = str(folder / "work/key")
        environment["SEALITE_SUITE_EXTENSION"] = str(extension)
    log = folder / ("sealed" if extension else "plain") / f"{name}.log"
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [str(folder / "testfixture"), *([str(HERE / "sealed.tcl")] if extension else []), str(folder / f"source/test/{name}.test")],
            cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True, preexec_fn=limit)
        try:
            code = process.wait(CLOCK_SECONDS)
            end = "" if code in (0, 1) else ENDS.get(-code, f"exits-{code}")
        except subprocess.TimeoutExpired:
            end = "endless"
        finally:
            # What the file started belongs to its session.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
    subprocess.run(["chmod", "-R", "u+rwX", str(work)], check=False)
    shutil.rmtree(work, ignore_errors=True)
    text = log.read_text("utf-8", "replace")
    count = re.search(r"^(\d+) errors out of (\d+) tests", text, re.MULTILINE)
    failed = re.findall(r"^! (\S+) expected:", text, re.MULTILINE)
    listed = re.search(r"^!Failures on these tests: (.*)$", text, re.MULTILINE)
    if listed:
        failed += listed.group(1).split()
    if not count and not end:
        end = "stops"
    return {"end": end, "cases": int(count.group(2)) if count else 0, "failed": sorted(set(failed))}


def run_all(folder, names, extension):
    """The results of all files on both kinds of databases; those of each file are kept in FOLDER/results.json too."""
    results = {"plain": {}, "sealed": {}}
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        running = {}
        for name in names:
            running[pool.submit(run, folder, name, None)] = ("plain", name)
            running[pool.submit(run, folder, name, extension)] = ("sealed", name)
        for done in concurrent.futures.as_completed(running):
            kind, name = running[done]
            results[kind][name] = done.result()
            (folder / "results.json").write_text(json.dumps(results, indent=1, sort_keys=True))
    return results


def normal(case):
    """A case's name without the number of the fault that was injected: how many there are depends on what lies below SQLite."""
    return re.sub(r"\b(transient|persistent|full)\.\d+$", r"\1.*", case)


def differences(plain, sealed):
    """What differs in one file: "case" fails on sealed databases alone, "-case" on plain ones alone, "(how)" is how a file ends."""
    failed = {kind: {normal(case) for case in result["failed"]} for kind, result in (("plain", plain), ("sealed", sealed))}
    found = failed["sealed"] - failed["plain"]
    # A file that ends early doesn't come to its later cases.
    if not sealed["end"] or plain["end"]:
        found |= {f"-{case}" for case in failed["plain"] - failed["sealed"]}
    if plain["end"] != sealed["end"]:
        found.add(f"({sealed['end'] or 'ends'})")
    return found


def read_table():
    """The expected differences: (class, file, pattern of cases)."""
    entries, name = [], None
    for line in TABLE.read_text().splitlines():
        if line.startswith("== "):
            name = line[3:].split(":")[0]
        elif line and not line.startswith(("#", " ")):
            file, patterns = line.split(":", 1)
            entries += [(name, file, pattern) for pattern in patterns.split()]
    return entries


def compare(results, names):
    """Prints what is new or gone, and the number of differences of each class; returns the exit code."""
    classes, unexpected = {}, 0
    entries = [entry for entry in read_table() if entry[1] in names]
    used = set()
    for name in names:
        patterns = [entry for entry in entries if entry[1] == name]
        for difference in sorted(differences(results["plain"][name], results["sealed"][name])):
            matching = [entry for entry in patterns if fnmatch.fnmatchcase(difference, entry[2].lstrip("?"))]
            used.update(matching)
            if matching:
                classes[matching[0][0]] = classes.get(matching[0][0], 0) + 1
            else:
                unexpected += 1
                print(f"sqlite-suite: new: {name}: {difference}")
    # A pattern after a question mark fails in some runs only.
    for kind, name, pattern in entries:
        if (kind, name, pattern) not in used and not pattern.startswith("?"):
            unexpected += 1
            print(f"sqlite-suite: gone: {name}: {pattern} ({kind})")
    for kind in ("plain", "sealed"):
        run = results[kind].values()
        print(f"sqlite-suite: {kind}: {len(run)} files, {sum(r['cases'] for r in run)} cases, "
              f"{sum(len(r['failed']) for r in run)} failed, {sum(1 for r in run if r['end'])} files not to their end")
    for kind, count in sorted(classes.items()):
        print(f"sqlite-suite: {count:5} {kind}")
    return 1 if unexpected else 0


def compared_files():
    """The files that the table names as compared."""
    lines = TABLE.read_text().splitlines()
    return [name for line in lines if line.startswith("#: ") for name in line[3:].split()]


def main():
    folder, extension = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    match sys.argv[3:]:
        case ["--trial"]: names = TRIAL
        case ["--all"]: names = test_files(folder)
        case named: names = named or compared_files()
    for place in ("work", "plain", "sealed"):
        (folder / place).mkdir(exist_ok=True)
    key = folder / "work/key"
    key.write_text(bytes(range(32)).hex())
    key.chmod(0o600)
    return compare(run_all(folder, names, extension), names)


if __name__ == "__main__":
    sys.exit(main())
