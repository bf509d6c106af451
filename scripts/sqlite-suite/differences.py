"""The differences between the results of a suite's test files on sealed and on plain databases, and the table of those expected."""

import fnmatch
import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parent / "expected-differences"


def normal(case):
    """A case's name without the number of the fault that was injected: how many there are depends on what lies below SQLite."""
    return re.sub(r"\b(transient|persistent|full)\.\d+$", r"\1.*", case)


def differences(plain, sealed):
    """What differs in one file: "case" fails on sealed databases alone, "-case" on plain ones alone, "(how)" is how a file ends."""
    failed = {kind: {normal(case) for case in result["failed"]} for kind, result in (("plain", plain), ("sealed", sealed))}
    found = failed["sealed"] - failed["plain"]
    # A file that ends early doesn't come to its later cases, nor does a slower one by the time both are ended.
    if sealed["end"] in ("", plain["end"]) and sealed["end"] != "endless":
        found |= {f"-{case}" for case in failed["plain"] - failed["sealed"]}
    if plain["end"] != sealed["end"]:
        found.add(f"({sealed['end'] or 'ends'})")
    return found


def read_table(table):
    """The expected differences of a table: (class, file, pattern of cases)."""
    entries, name = [], None
    for line in table.read_text().splitlines():
        if line.startswith("== "):
            name = line[3:].split(":")[0]
        elif line and not line.startswith(("#", " ")):
            file, patterns = line.split(":", 1)
            entries += [(name, file, pattern) for pattern in patterns.split()]
    return entries


def compare(results, names, table=TABLE, suite="sqlite-suite"):
    """Prints what is new or gone, and the number of differences of each class; returns the exit code."""
    classes, unexpected = {}, 0
    entries = [entry for entry in read_table(table) if entry[1] in names]
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
                print(f"{suite}: new: {name}: {difference}")
    # A pattern after a question mark fails in some runs only.
    for kind, name, pattern in entries:
        if (kind, name, pattern) not in used and not pattern.startswith("?"):
            unexpected += 1
            print(f"{suite}: gone: {name}: {pattern} ({kind})")
    for kind in ("plain", "sealed"):
        run = results[kind].values()
        print(f"{suite}: {kind}: {len(run)} files, {sum(r['cases'] for r in run)} cases, "
              f"{sum(len(r['failed']) for r in run)} failed, {sum(1 for r in run if r['end'])} files not to their end")
    for kind, count in sorted(classes.items()):
        print(f"{suite}: {count:5} {kind}")
    return 1 if unexpected else 0


def compared_files():
    """The files that the table names as compared."""
    lines = TABLE.read_text().splitlines()
    return [name for line in lines if line.startswith("#: ") for name in line[3:].split()]
