#!/usr/bin/env python3
"""Compiles every Swift sample of the documents, or those of some pages: scripts/check-samples.py BUILD [PAGE...]

A sample is a block of Markdown whose fence says `swift`, in a page or in a doc comment. BUILD is a folder that holds the built package
(BUILD/release/Modules). The samples are compiled with the settings of a new package and without making code; a fault names the page and
the line.

- The samples of a page follow each other: each sees what those before it declare, and may declare the name anew. Those of doc comments
  stand alone, and in a function that isn't asynchronous if they have no `await`.
- They have the imports that their page shows. A page that shows none has `import Sealite`, or the module in whose folder it is.
- What a page uses without declaring it is declared in a comment, which isn't rendered: lines `NAME: TYPE`, or declarations.

      <!-- sample:
      notes: Collection
      struct Person: Codable { var name: String }
      -->

  For the pages and doc comments of a module, GIVEN declares it.
- A manifest is compiled by itself, and names products that there are.
"""

import pathlib
import re
import runpy
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What the samples in the folder of each module use without declaring it.
GIVEN = {
    "Sealite": "recovery: RecoveryKey",
    "SealiteCredentials": "store: any CredentialStore\npassword: SecretBytes",
    "SealiteDatabase": "database: Database\naccounts: Collection\npassphrase: SecretBytes",
    "SealiteFile": "notes: SealedDatabase\npassphrase: SecretBytes\nsecond: SecretBytes\nnewKey: SecretBytes",
    "SealiteGRDB": "passphrase: SecretBytes",
    "SealiteMaintenance": "notes: SealedDatabase\npassphrase: SecretBytes",
    "SealiteMobileSync": """
        database: Database
        notes: MongoCollection<Note>
        store: MongoStore
        url: EndpointURL
        authenticator: any Authenticator
        struct Note: Codable, Sendable { var text: String }""",
    "SealiteModel": """
        database: Database
        store: ModelStore
        migration: Migration
        struct Dog: Model { var id = ObjectID(); var name = ""; var age: Int?; var breed: String? }
        struct Owner: Model { var id = ObjectID(); var name = "" }
        struct Person: Model { var id = ObjectID(); var name = ""; var age = 0; var owner: Owner? }""",
    "SealiteMongo": "database: Database\nstruct Person: Codable, Sendable { var name: String; var age: Int }",
    "SealiteQuery": """
        database: Database
        people: Collection
        notes: Collection
        query: Query
        age: Int
        city: String
        struct Person: Decodable, Sendable { var name: String; var age: Int }
        static func show(_ rows: [Person]) {}
        index: QueryIndex
        static func embed(_ text: String) async throws -> [Float] { [] }""",
    "SealiteReplicator": "archive: Database\nnotes: Collection\nstore: any CredentialStore",
}
FENCE = re.compile(r"^(\s*)(/// )?\s*(```+)(\S*)\s*$")
HIDDEN = re.compile(r"<!-- sample:(.*?)-->", re.DOTALL)
# A sample may name a value that only a longer program would use.
UNUSED = re.compile(r"never (used|read|mutated)|is unused|unreachable|will never be executed")


class Page:
    """A file with samples: their first lines and their texts, and what is given to them."""

    def __init__(self, path):
        self.name = str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
        self.module = self.name.split("/")[1] if self.name.startswith("Sources/") else None
        self.is_source = path.suffix == ".swift"
        text = path.read_text(encoding="utf-8")
        self.samples = list(blocks(text, self.is_source, self.name))
        self.given = "" if self.is_source else "".join(match[1] for match in HIDDEN.finditer(text))
        if self.module:
            self.given += "\n" + GIVEN.get(self.module, "")
        shown = [line for _, block in self.samples for line in block.splitlines() if line.startswith("import ")]
        self.imports = sorted(set(shown)) or [f"import {self.module or 'Sealite'}"]
        self.type = "In_" + re.sub(r"\W", "_", self.name)


def blocks(text, is_source, name):
    """The first line and the text of each block of Swift."""
    start = None
    for number, line in enumerate(text.split("\n"), 1):
        mark = FENCE.match(line)
        if mark and is_source and not mark[2]:
            mark = None
        if start is None and mark:
            start, fence, language, lines = number + 1, mark[3], mark[4], []
        elif start is not None and mark and mark[3].startswith(fence) and not mark[4]:
            if language == "swift":
                yield start, textwrap.dedent("\n".join(lines))
            start = None
        elif start is not None:
            lines.append(re.sub(r"^\s*/// ?", "", line) if is_source else line)
    if start is not None:
        sys.exit(f"{name}:{start - 1}: a block that doesn't end")


def located(name, line, text):
    return f'#sourceLocation(file: "{name}", line: {line})\n{text}\n#sourceLocation()\n'


def context(page):
    """The type that a page's samples extend, with what is given to them."""
    members = []
    for line in textwrap.dedent(page.given).splitlines():
        variable = re.fullmatch(r"\s*(\w+): (.+)", line)
        members.append(f"static var {variable[1]}: {variable[2]} {{ get {{ given() }} set {{}} }}" if variable else line)
    return "enum %s {\n%s\n}\n" % (page.type, "\n".join("    " + line for line in members if line.strip()))


def program(page):
    """A source file with a page's samples."""
    out = "\n".join(page.imports) + f"\n\nextension {page.type} {{\n"
    bodies = []
    for line, block in page.samples:
        text = located(page.name, line, re.sub(r"^import .*$", "", block, flags=re.MULTILINE))
        # A member of a type.
        bodies.append(f"struct Member {{\n{text}}}\n" if block.startswith("static ") else text)
    if page.is_source:
        for number, body in enumerate(bodies):
            out += f"static func sample{number}() {'async ' if 'await ' in body else ''}throws {{\n{body}}}\n"
    else:
        out += "static func samples() async throws {\n" + "do {\n".join(bodies) + "}\n" * len(bodies)
    return out + "}\n"


def compiled(arguments):
    """What the compiler says of a fault, without the warnings of names that aren't used."""
    result = subprocess.run(
        ["swiftc", "-swift-version", "6", "-diagnostic-style", "llvm", *arguments], cwd=ROOT, capture_output=True, text=True)
    # One fault with the lines that explain it.
    found = re.split(r"^(?=\S+:\d+:\d+: (?:error|warning): )", result.stderr, flags=re.MULTILINE)
    faults = [fault for fault in found[1:] if ": error: " in fault or not UNUSED.search(fault.split("\n")[0])]
    if result.returncode and not faults:
        return result.stderr or "the compiler failed"
    return "".join(faults)


def manifest_faults(name, line, block, work):
    """What is wrong with a block that is a manifest of a package."""
    library = pathlib.Path(subprocess.run(["which", "swiftc"], capture_output=True, text=True).stdout.strip())
    library = library.resolve().parent.parent / "lib/swift/pm/ManifestAPI"
    source = work / "Package.swift"
    source.write_text(located(name, line, block))
    version = re.search(r"swift-tools-version: *([\d.]+)", block)[1]
    faults = compiled(["-typecheck", "-package-description-version", version, "-I", library, source])
    products = re.findall(r'\.(?:library|executable)\(name: "(\w+)"', (ROOT / "Package.swift").read_text())
    for product in re.findall(r'\.product\(name: "(\w+)", package: "Sealite"\)', block):
        if product not in products:
            faults += f"{name}:{line}: error: there is no product {product}\n"
    return faults


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    command = ["git", "ls-files", "-co", "--exclude-standard", "*.md", "Sources/*.swift"]
    named = sys.argv[2:] or subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    paths = [ROOT / name for name in named]
    pages = [page for page in map(Page, sorted(path for path in paths if path.exists())) if page.samples]
    faults, count = "", 0
    with tempfile.TemporaryDirectory(prefix="sealite-samples-") as folder:
        work = pathlib.Path(folder)
        contexts = "import Foundation\nimport Sealite\n\nfunc given<T: ~Copyable>() -> T { fatalError() }\n"
        sources = [work / "Contexts.swift"]
        for page in pages:
            count += len(page.samples)
            for sample in [sample for sample in page.samples if "swift-tools-version" in sample[1]]:
                page.samples.remove(sample)
                faults += manifest_faults(page.name, *sample, work)
            page.imports = [line for line in page.imports if line != "import PackageDescription"] or ["import Sealite"]
            contexts += context(page)
            sources.append(work / f"{page.type}.swift")
            sources[-1].write_text(program(page))
        sources[0].write_text(contexts)
        flags = runpy.run_path(str(ROOT / "scripts/make-docs.py"))["module_flags"](build)
        faults += compiled(
            ["-emit-sil", "-wmo", "-module-name", "Samples", "-o", "/dev/null", "-I", build / "release/Modules", *flags, *sources])
    if faults:
        sys.exit(faults + "samples: these don't compile; scripts/check-samples.py says how a page declares what they need")
    print(f"samples: {count} in {len(pages)} files compile with the imports that they show")


main()
