#!/usr/bin/env python3
"""Lists the pairs of folders that use each other's types, for each target.

folder-pairs.py [--why] [TARGET...]  prints each pair and how many there are; `--why` adds which words lead from one folder to the
                                     other and from which files

A folder is the path of a file's folder inside its target, `.` for the target's own. What a folder declares are the types and functions
at the top level of its files that are not private. Each use of such a word in a file of another folder counts, but in comments and texts,
and in a file that declares the word itself. Names that two folders declare are left out, because a word does not say which of them is
meant. What extensions add is not seen.
"""

import collections
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources"
DECLARATION = re.compile(
    r"^(?:@[\w.]+(?:\([^)]*\))?\s+)*"
    r"(?:(?:public|package|internal|open|final|indirect|nonisolated|unsafe|distributed|borrowing|consuming)(?:\(\w+\))?\s+)*"
    r"(?:struct|class|enum|actor|protocol|typealias|func)\s+(\w+)",
    re.MULTILINE)
LOCAL_DECLARATION = re.compile(
    r"\b(?:struct|class|enum|actor|protocol|typealias|associatedtype|func|let|var|case)\s+(\w+)")
NO_CODE = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/')
WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


def read(target):
    """Returns the code of each file of a target by folder and name, without comments and texts."""
    files = {}
    for path in sorted(target.rglob("*.swift")):
        place = path.relative_to(target)
        files[str(place.parent), path.name] = NO_CODE.sub('""', path.read_text())
    return files


def declared(files):
    """Returns the folder of each word that is declared in one folder only."""
    folders = collections.defaultdict(set)
    for (folder, _), code in files.items():
        for word in DECLARATION.findall(code):
            folders[word].add(folder)
    return {word: next(iter(places)) for word, places in folders.items() if len(places) == 1}


def uses(files):
    """Returns, for each folder and each other one that it uses, the words and the files that they stand in."""
    owner = declared(files)
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for (folder, name), code in files.items():
        for word in set(WORD.findall(code)) - set(LOCAL_DECLARATION.findall(code)):
            if owner.get(word, folder) != folder:
                found[folder, owner[word]][word].add(name)
    return found


def pairs(found):
    """Returns the pairs of folders of which each uses the other."""
    return sorted(edge for edge in found if edge < edge[::-1] and edge[::-1] in found)


def main(arguments):
    why = "--why" in arguments
    names = [argument for argument in arguments if argument != "--why"]
    targets = [SOURCES / name for name in names] or sorted(path for path in SOURCES.iterdir() if path.is_dir())
    for target in targets:
        if not target.is_dir():
            sys.exit(f"folder-pairs: no target {target.name}")
        found = uses(read(target))
        mutual = pairs(found)
        if not mutual and not names:
            continue
        print(f"{target.name}: {len(mutual)}")
        for pair in mutual:
            print("  " + " <-> ".join(pair))
            for edge in (pair, pair[::-1]) if why else ():
                words = (f"{word} ({', '.join(sorted(places))})" for word, places in sorted(found[edge].items()))
                print(f"    {edge[0]} uses of {edge[1]}: " + ", ".join(words))


if __name__ == "__main__":
    main(sys.argv[1:])
