#!/bin/sh
# Holds the sources against the house's rules: who imports whom, who may open files, why something is shared without the
# compiler's proof, no unfinished marks. Prints what it counted; exits 1 with a line for each breach.
set -eu
cd "$(dirname "$0")/.."
exec python3 - <<'PYTHON'
import pathlib
import re
import sys

# Each floor's targets. A target imports from floors below its own, and where an arrow is drawn.
FLOORS = [
    {"COpenSSL", "CSQLite", "CSecret", "CZlib"},
    {"SealiteCrypto", "SealiteKnownAnswers"},
    {"SealiteFile"},
    {"SealiteGRDB", "SealiteCredentials", "SealiteDatabase"},
    {"SealiteAuthentication"},
    {"SealiteReplicator"},
    {"Sealite", "SealiteExtension"},
    {"SealiteTool"},
]
ARROWS = {
    ("SealiteKnownAnswers", "SealiteCrypto"),
    ("SealiteCredentials", "SealiteGRDB"),
    ("SealiteDatabase", "SealiteGRDB"),
}
# Who may import a C library. Tests and benchmarks may import any.
OWNERS = {
    "COpenSSL": {"SealiteCrypto"},
    "CSQLite": {"SealiteFile", "SealiteExtension"},
    "CSecret": {"SealiteCredentials"},
    "CZlib": {"SealiteReplicator"},
}
# Files that open files by themselves, and why none of those can be a database that SQLite has open: the close of such a
# descriptor drops SQLite's locks in the whole process.
MAY_OPEN = {
    "SealiteFile/Connection/NewFile.swift": "new files, under a temporary name, and folders",
    "SealiteFile/Connection/TemporaryNames.swift": "new files, under a temporary name",
    "SealiteFile/Connection/Leftovers.swift": "temporary names that no process has open",
    "SealiteFile/Connection/StateFile.swift": "the small state file of a freshness record, by a name of its own",
    "SealiteFile/Rotation/RotationClaim.swift": "the sidecar of a rotation, which is no database",
    "SealiteFile/Secrets/SecretFile.swift": "secrets; larger files are refused before they are opened",
    "SealiteCredentials/SecretService/SessionBus.swift": "the name of a process, in /proc",
    "SealiteTool/Terminal/Console.swift": "the terminal, /dev/tty",
    "SealiteTool/Commands/Documents/Streams.swift": "what is imported; a file of the database itself is refused before",
    "SealiteDatabase/Blobs/FileContent.swift": "the source of a blob",
    "SealiteReplicator/Replicator/TargetLock.swift": "an empty lock file by a name of its own",
}
OPENS = re.compile(
    r"\bopen(?:at)?\([^;{}]{0,200}?\bO_[A-Z]+|\bfopen\(|\bcreat\(|\bFileHandle\b|\b(?:Data|String)\(contentsOf|\bcreateFile\(")
IMPORT = re.compile(
    r"^\s*(?:@\w+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:\w+\s+)?(\w+)", re.M)
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")

floor_of = {name: floor for floor, names in enumerate(FLOORS) for name in names}
breaches = []
counts = {"files": 0, "imports": 0, "@unchecked Sendable": 0, "nonisolated(unsafe)": 0}


def code_of(text):
    """The text with comment lines blanked, so that words in prose count for nothing."""
    return "\n".join("" if line.lstrip().startswith("//") else line for line in text.split("\n"))


def check_imports(target, name, text):
    for match in IMPORT.finditer(code_of(text)):
        module = match.group(1)
        counts["imports"] += 1
        if module in OWNERS and target not in OWNERS[module]:
            breaches.append(f"{name}: imports {module}, which only {', '.join(sorted(OWNERS[module]))} may")
        elif module in floor_of and (target, module) not in ARROWS and floor_of[module] >= floor_of[target]:
            breaches.append(f"{name}: imports {module}, which isn't below {target}")


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


for folder in sorted(pathlib.Path("Sources").iterdir()):
    target = folder.name
    if target not in floor_of:
        breaches.append(f"Sources/{target}: a target without a floor; DESIGN draws the house, scripts/check-imports.sh holds it")
        continue
    for path in sorted(folder.rglob("*.swift")):
        name, text = str(path), path.read_text()
        counts["files"] += 1
        check_imports(target, name, text)
        if str(path.relative_to("Sources")) not in MAY_OPEN and OPENS.search(code_of(text)):
            breaches.append(f"{name}: opens a file by itself; a database is only reached through the base VFS")

for root in ("Sources", "Tests", "Benchmarks", "Examples"):
    for path in sorted(pathlib.Path(root).rglob("*.swift")):
        check_reasons(str(path), path.read_text())

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
