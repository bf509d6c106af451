#!/bin/sh
# Holds the sources against the house's rules: who imports whom, who may open files, why something is shared without the
# compiler's proof, how many folders need each other, which names two targets declare, which dependencies nothing imports, no commands in hints of libraries, no tests that sleep, depend on the clock or draw random numbers without a seed, no unfinished marks. Prints what it counted; exits 1 with a line for each breach.
#
# The floors are Package.swift's own: a comment "// Floor N." stands over each group. A target imports what it declares as a
# dependency, from floors below its own; a dependency on its own floor is an arrow of the house, and the package's manifest is
# where it is drawn. scripts/test.d/05-fence.sh breaks every one of these rules and sees it refused.
set -eu
cd "$(dirname "$0")/.."
exec python3 - <<'PYTHON'
import collections
import importlib.util
import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True
specification = importlib.util.spec_from_file_location("folder_pairs", "scripts/folder-pairs.py")
folder_pairs = importlib.util.module_from_spec(specification)
specification.loader.exec_module(folder_pairs)

# Who may import a C library, or the log and the metrics, which programs that load the extension do without: whole targets, or single files and why.
# Tests and benchmarks may import any.
OWNERS = {
    "COpenSSL": {"SealiteCrypto"},
    "CSQLite": {"SealiteFile", "SealiteMaintenance", "SealiteFunctions", "SealiteExtension"},
    "CSecret": {"SealiteCredentials"},
    "CSecretLoading": {"SealiteCredentials"},
    "CZlib": {"SealiteProtocol"},
    "CPCRE2": {"SealiteFunctions"},
    "CStemmer": {"SealiteFunctions"},
    "CVectors": {"SealiteVectors"},
    "CEditLine": {"SealiteTool"},
    "CEditLineLoading": {"SealiteTool"},
    "CBuildCommit": {"SealiteTool"},
    "Logging": {"SealiteCredentials", "SealiteDatabase", "SealiteReplicator", "SealiteTool"},
    "CoreMetrics": {"SealiteDatabase", "SealiteReplicator", "SealiteTool"},
}
FILES_THAT_MAY_IMPORT = {
    ("SealiteDatabase/Storage/PreparedStatement.swift", "CSQLite"):
        "GRDB's rows and arguments allocate several objects for each row, which costs more than the row itself",
    ("SealiteDatabase/Storage/ConnectionHandle.swift", "CSQLite"):
        "two counters and the state of a connection, which every change reads",
    ("SealiteDatabase/Storage/DatabaseError+Storage.swift", "CSQLite"):
        "names of SQLite's result codes, which GRDB hands through as numbers",
}
# Targets that do without Foundation, and why.
WITHOUT_FOUNDATION = {
    "SealiteJSON": "it would make the loadable extension some ten megabytes larger, and readers of hostile bytes are our own",
    "SealiteBase": "it needs nothing but the standard library and Dispatch",
    "SealiteQueryLanguage": "it needs nothing but the standard library, and so it goes wherever SQL++ is read",
    "SealiteValues": "readers of hostile bytes are our own, and the loadable extension may come to stand on it",
    "SealiteFunctions": "it would make the loadable extension some ten megabytes larger",
    "SealiteCrypto": "it would make the loadable extension some ten megabytes larger",
    "SealiteVectors": "it would make the loadable extension some ten megabytes larger",
    "SealiteGeometry": "it would make the loadable extension some ten megabytes larger",
    "SealiteFile": "it would make the loadable extension some ten megabytes larger",
    "SealiteExtension": "it would make the loadable extension some ten megabytes larger",
}
# Files that open files by themselves, and why none of those can be a database that SQLite has open: the close of such a
# descriptor drops SQLite's locks in the whole process.
MAY_OPEN = {
    "SealiteDatabase/Blobs/BlobWriterLife.swift": "the system's records of processes, in /proc",
    "SealiteFile/Connection/NewFile.swift": "new files, under a temporary name, and folders",
    "SealiteFile/Connection/TemporaryNames.swift": "new files, under a temporary name; temporary names that no process has open",
    "SealiteFile/Rotation/RotationClaim.swift": "the sidecar of a rotation, which is no database",
    "SealiteFile/Secrets/SecretTerminal.swift": "the terminal, /dev/tty",
    "SealiteFile/Secrets/SecretFile.swift": "secrets; larger files are refused before they are opened",
    "SealiteMaintenance/Files/StateFile.swift": "the small state file of a freshness record, by a name of its own",
    "SealiteCredentials/SecretService/SessionBus.swift": "the name of a process, in /proc",
    "SealiteTool/Metrics/MetricsPage.swift": "the process's own records, in /proc",
    "SealiteTool/Process/Signals.swift": "the terminal, /dev/tty",
    "SealiteTool/Terminal/Console.swift": "holds the place of a closed standard input",
    "SealiteTool/Terminal/Terminal.swift": "the terminal, /dev/tty",
    "SealiteTool/Terminal/TerminalInput.swift": "the terminal, /dev/tty",
    "SealiteTool/Commands/Documents/InputFile.swift": "what is imported; a file of the database itself is refused before",
    "SealiteDatabase/Blobs/BlobWriter.swift": "the source of a blob",
    "SealiteDatabase/Versions/VersionStamp.swift": "the host's id, /etc/machine-id",
    "SealiteMongo/Expressions/Dates/ZoneFile.swift": "the system's time zones, by names that don't lead out of their folder",
    "SealiteReplicator/Replicator/TargetLock.swift": "an empty lock file by a name of its own",
}
OPENS = re.compile(
    r"\bopen(?:at)?\([^;{}]{0,200}?\bO_[A-Z]+|\bfopen\(|\bcreat\(|\bFileHandle\b|\b(?:Data|String)\(contentsOf|\bcreateFile\(")
# Tests wait for conditions and move clocks of their own; what has to let time pass says why where it calls `letTimePass`.
TESTABLE = re.compile(r"@testable\b")
SLEEPS = re.compile(
    r"\b(?:Task|Thread)\s*\.\s*sleep\b|(?<![\w.])(?<!func )(?:usleep|nanosleep|clock_nanosleep|sleep|sqlite3_sleep)\s*\(")
MAY_SLEEP = {
    "Tests/Support/SealiteTestSupport/Time/Eventually.swift": "the helper",
    "Tests/Support/SealiteTestChild/main.swift": "another process, which has no tests in it",
    "Tests/Support/SealiteMobileTestChild/main.swift": "another process, which has no tests in it",
}
# Tests say nothing about the clock: what they bound is processor time (`processorTime`), and what hangs ends (`endsIfItHangs`).
CLOCKED = re.compile(r"\b(?:ContinuousClock|SuspendingClock)\s*\.\s*now\s*-|Clock\(\)\s*\.\s*measure\b|\.\s*timeLimit\s*\(")
MAY_CLOCK = {"Tests/Support/SealiteTestSupport/Time/ProcessorTime.swift": "the helpers"}
# What a test does by chance a seed repeats: all random numbers come from `SeededRandom`, or from a generator that is given.
CHANCE = re.compile(
    r"\bSystemRandomNumberGenerator\b|(?<![\w.])(?<!func )(?:random|arc4random\w*|drand48|srand|rand|getrandom)\s*\(\s*\)"
    r"|\b(?:arc4random\w*|getrandom|srandom|srand48)\s*\(|:\s*RandomNumberGenerator\b"
    r"|\.\s*(?:randomElement|shuffled|shuffle)\s*\(\s*\)")
# A call with a range takes its generator as its last argument.
OF_RANGE = re.compile(r"(?<!func )\brandom\s*\(\s*in\s*:")
# Of a type that has several values and no range.
OF_TYPE = re.compile(r"\b(?:Bool|UInt(?:8|16|32|64)?|Int(?:8|16|32|64)?|Double|Float)\s*\.\s*random\s*\(\s*\)")
MAY_CHANCE = {"Tests/Support/SealiteTestSupport/SeededRandom.swift": "the generator, and the seed that the soak draws"}
# Hints name commands and options of the command line in SealiteTool alone; a library has an enumeration that is a `Remedy`.
COMMANDS = re.compile(r"""'sealite [a-z]|[ "'(]--[a-z]{2,}""")
LITERAL = re.compile(r'#*"(?:[^"\\\n]|\\.)*"?|//.*')
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")

# The keyword where Swift takes it for a declaration: it is a member after a point, and an argument's label before a colon or
# after a parenthesis or a comma. White space may hold line ends. In front stand attributes and an access level, which change nothing
# about who imports whom.
IMPORT = re.compile(
    r"(?<![\w.`$])import\b\s*(?:(?:typealias|struct|class|enum|protocol|let|var|func)\b\s*)?(`?)([A-Za-z_]\w*)\1")
# Where a comment or a text literal begins.
NOT_CODE = re.compile(r'//|/\*|#*"')

breaches = []
# What the files of each folder of Sources import.
imported = collections.defaultdict(set)
counts = {
    "files": 0, "imports": 0, "arrows": 0, "pairs of folders": 0, "@unchecked Sendable": 0, "nonisolated(unsafe)": 0}


def without_texts(source):
    """Swift source with comments and the contents of literals blanked, line ends kept."""
    out = []
    position = 0
    end = len(source)

    def blank(to):
        nonlocal position
        out.append("".join("\n" if sign == "\n" else " " for sign in source[position:to]))
        position = to

    def comment_end(start):
        depth, at = 0, start
        while at < end:
            if source.startswith("/*", at):
                depth, at = depth + 1, at + 2
            elif source.startswith("*/", at):
                depth, at = depth - 1, at + 2
                if depth == 0:
                    return at
            else:
                at += 1
        return end

    def literal_end(start):
        """Behind the literal that starts at a quote or at the number signs before it."""
        hashes = source[start:source.index('"', start)]
        at = start + len(hashes)
        quote = '"""' if source.startswith('"""', at) else '"'
        at += len(quote)
        while at < end:
            if source.startswith(quote + hashes, at):
                return at + len(quote + hashes)
            if source.startswith("\\" + hashes, at):
                at += 1 + len(hashes)
                at = interpolation_end(at) if source.startswith("(", at) else at + 1
            elif quote == '"' and source[at] == "\n":
                return at
            else:
                at += 1
        return end

    def interpolation_end(start):
        depth, at = 0, start
        while at < end:
            if source[at] == '"' or source[at] == "#" and re.match(r'#+"', source[at:at + 8]):
                at = literal_end(at)
                continue
            depth += {"(": 1, ")": -1}.get(source[at], 0)
            at += 1
            if depth == 0:
                return at
        return end

    while match := NOT_CODE.search(source, position):
        out.append(source[position:match.start()])
        position = match.start()
        if match.group() == "//":
            stop = source.find("\n", position)
            blank(end if stop < 0 else stop)
        elif match.group() == "/*":
            blank(comment_end(position))
        else:
            blank(literal_end(position))
    return "".join(out) + source[position:]


def imported_modules(code):
    for match in IMPORT.finditer(code):
        before = code[:match.start()].rstrip()
        if before.endswith(("(", ",")) or code[match.end():].lstrip().startswith(":"):
            continue
        yield match.group(2)


def targets_of_package(text):
    """The floor and the dependencies of every target that lies in Sources; and of every target its kind, its folder and all that it
    declares as a dependency, products of other packages by the names of their modules."""
    floors = [(match.start(), int(match.group(1))) for match in re.finditer(r"^\s*// Floor (\d+)\b", text, re.M)]
    found, every = {}, {}
    for match in re.finditer(r"\.(systemLibrary|target|executableTarget|testTarget|plugin)\(\s*name:\s*\"(\w+)\"", text):
        depth, stop = 1, text.index("(", match.start()) + 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[stop], 0)
            stop += 1
        block = text[match.end():stop]
        listed = re.search(r"\bdependencies:\s*\[(.*?)\]", block, re.S)
        names = re.sub(r"\.product\([^)]*\)", "", listed.group(1)) if listed else ""
        dependencies = set(re.findall(r'"(\w+)"', names))
        products = re.findall(r'\.product\(\s*name:\s*"(\w+)"', listed.group(1)) if listed else []
        path = re.search(r"\bpath:\s*\"([^\"]+)\"", block)
        beside = "Tests/" if match.group(1) == "testTarget" else "Sources/"
        folder = pathlib.Path(path.group(1) if path else beside + match.group(2))
        every[match.group(2)] = (match.group(1), folder, dependencies | set(products))
        if match.group(1) == "testTarget" or path:
            continue
        above = [floor for start, floor in floors if start < match.start()]
        found[match.group(2)] = (above[-1] if above else None, dependencies)
    return found, every


MANIFEST = pathlib.Path("Package.swift").read_text()
TARGETS, EVERY_TARGET = targets_of_package(MANIFEST)
# The programs that tests depend on to run them are products under these names.
PROGRAMS = {target: name for name, target in re.findall(r'\.executable\(name: "(\w+)", targets: \["(\w+)"\]\)', MANIFEST)}
for target, (floor, dependencies) in sorted(TARGETS.items()):
    if floor is None:
        breaches.append(f"Package.swift: {target} stands on no floor; a comment \"// Floor N.\" belongs over its group")
        continue
    for name in sorted(dependencies & TARGETS.keys()):
        below = TARGETS[name][0]
        if below is not None and below > floor:
            breaches.append(f"Package.swift: {target} on floor {floor} depends on {name} on floor {below}")
        counts["arrows"] += below == floor


def check_imports(target, path, name, code):
    for module in imported_modules(code):
        counts["imports"] += 1
        imported[target].add(module)
        if module in OWNERS and target not in OWNERS[module] and (path, module) not in FILES_THAT_MAY_IMPORT:
            breaches.append(f"{name}: imports {module}, which only {', '.join(sorted(OWNERS[module]))} may")
        elif module in TARGETS and module not in TARGETS[target][1]:
            breaches.append(f"{name}: imports {module}, which isn't declared below {target} in Package.swift")
        elif module.startswith("Foundation") and target in WITHOUT_FOUNDATION:
            breaches.append(f"{name}: imports {module}, which {target} does without: {WITHOUT_FOUNDATION[target]}")


def check_unused(target, folder, dependencies):
    """Refuses arrows that nothing uses: a dependency that no file of the target imports, or a program that none of them names."""
    texts = [path.read_text() for path in sorted(folder.rglob("*.swift"))]
    for name in sorted(dependencies - imported[target]) if texts else []:
        # Taking comments and literals out of a file takes long.
        word = re.compile(rf"\bimport\b[^\n]*\b{name}\b")
        if any(name in imported_modules(without_texts(text)) for text in texts if word.search(text)):
            continue
        program = re.compile(rf'"[^"\n]*\b{PROGRAMS.get(name, name)}"')
        if EVERY_TARGET.get(name, ("",))[0] != "executableTarget" or not any(program.search(text) for text in texts):
            breaches.append(f"Package.swift: {target} depends on {name}, which no file of {folder} imports")


def check_reasons(name, text):
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.lstrip().startswith("//"):
            continue
        for mark in ("@unchecked Sendable", "nonisolated(unsafe)"):
            if mark not in line:
                continue
            counts[mark] += 1
            reason = re.match(r"\s*//(?!/)\s*(.*)", lines[number - 1])
            if not reason or len(reason.group(1)) < 20 or reason.group(1).lower().startswith("as above"):
                breaches.append(f"{name}:{number + 1}: {mark} without a comment on the line above it that says what makes it true")


def check_commands(name, text):
    for number, line in enumerate(text.split("\n")):
        for literal in LITERAL.finditer(line):
            if not literal.group().startswith("//") and COMMANDS.search(literal.group()):
                breaches.append(f"{name}:{number + 1}: names a command or an option, as only SealiteTool may; add a case to the target's Remedy")


for folder in sorted(path for path in pathlib.Path("Sources").iterdir() if path.name != "README.md"):
    target = folder.name
    if target not in TARGETS:
        breaches.append(f"Sources/{target}: no target of Package.swift")
        continue
    for path in sorted(folder.rglob("*.swift")):
        name, relative, text = str(path), str(path.relative_to("Sources")), path.read_text()
        code = without_texts(text)
        counts["files"] += 1
        check_imports(target, relative, name, code)
        if target != "SealiteTool":
            check_commands(name, text)
        if relative not in MAY_OPEN and OPENS.search(code):
            breaches.append(f"{name}: opens a file by itself; a database is only reached through the base VFS")

# The check's own test leaves this part out where it plants other faults.
declaring = collections.defaultdict(list)
for folder in sorted(path for path in pathlib.Path("Sources").iterdir() if path.is_dir() and "SEALITE_WITHOUT_PAIRS" not in os.environ):
    files = folder_pairs.read(folder)
    for word in {word for code in files.values() for word in folder_pairs.DECLARATION.findall(code)}:
        declaring[word].append(folder.name)
    pairs = folder_pairs.pairs(folder_pairs.uses(files))
    counts["pairs of folders"] += len(pairs)
    # `scripts/folder-pairs.py --why TARGET` says what leads from one folder to the other.
    if pairs:
        breaches.append(f"Sources/{folder.name}: folders use each other's types: "
            + ", ".join(" and ".join(pair) for pair in pairs))
for word, targets in sorted(declaring.items()):
    if len(targets) > 1:
        breaches.append(f"Sources: {' and '.join(targets)} declare {word}; a name that is not private belongs to one target")

for target, (_, folder, dependencies) in sorted(EVERY_TARGET.items()):
    check_unused(target, folder, dependencies)

for path, module in sorted(FILES_THAT_MAY_IMPORT):
    source = pathlib.Path("Sources", path)
    if not source.exists() or module not in imported_modules(without_texts(source.read_text())):
        breaches.append(f"Sources/{path}: no longer imports {module}; its line in scripts/check-imports.sh can go")

for root in ("Sources", "Tests", "Benchmarks", "Examples"):
    for path in sorted(pathlib.Path(root).rglob("*.swift")):
        check_reasons(str(path), path.read_text())

# These targets are no test targets: `swift build -c release` builds them without -enable-testing.
for path in sorted(pathlib.Path("Tests/Support").rglob("*.swift")):
    if match := TESTABLE.search(code := without_texts(path.read_text())):
        line = code.count("\n", 0, match.start()) + 1
        breaches.append(f"{path}:{line}: imports with @testable, which a release build refuses; use what is package")


def first_chance(code):
    """Where a random number without a seed is drawn first; -1 where none is."""
    places = [match.start() for pattern in (CHANCE, OF_TYPE) if (match := pattern.search(code))]
    for match in OF_RANGE.finditer(code):
        depth, stop = 1, code.index("(", match.start()) + 1
        while depth and stop < len(code):
            depth += {"(": 1, ")": -1}.get(code[stop], 0)
            stop += 1
        if not re.search(r"\busing\s*:", code[match.end():stop]):
            places.append(match.start())
            break
    return min(places, default=-1)


for path in sorted(pathlib.Path("Tests").rglob("*.swift")):
    code = without_texts(path.read_text())

    def refuse(place, why):
        breaches.append(f"{path}:{code.count(chr(10), 0, place) + 1}: {why}")

    if str(path) not in MAY_SLEEP and (match := SLEEPS.search(code)):
        refuse(match.start(), "sleeps; tests wait by eventually(), move a ManualTime, or say why by letTimePass()")
    if str(path) not in MAY_CLOCK and (match := CLOCKED.search(code)):
        refuse(match.start(), "depends on the clock; bound processorTime(), or use the trait .endsIfItHangs")
    if str(path) not in MAY_CHANCE and (place := first_chance(code)) >= 0:
        refuse(place, "draws a random number that no seed repeats; take it from SeededRandom")

for root in ("Sources", "Tests", "Benchmarks", "scripts", "Package.swift", "Makefile", "README.md", "Documentation"):
    top = pathlib.Path(root)
    for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
        if path.suffix in {".swift", ".py", ".md", ".h", ".c"} or path.name == "Makefile":
            for number, line in enumerate(path.read_text(errors="replace").split("\n") if path.exists() else []):
                if UNFINISHED.search(line):
                    breaches.append(f"{path}:{number + 1}: an unfinished mark")

print("check-imports: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
for breach in breaches:
    print(breach, file=sys.stderr)
sys.exit(1 if breaches else 0)
PYTHON
