#!/usr/bin/env python3
"""Makes what a release consists of, below .build/dist/VERSION, or with --check only says what the release lacks.

    release.py VERSION [--check]

It refuses a tree with changes, a version that isn't that of the sources (SealiteVersion), a tag that there is, a CHANGELOG without a section
"## VERSION (DATE)" or with something left in "## Unreleased", documents that name another version, and programs of another commit. The
folder gets

    sealite-VERSION.tar.gz       the sources, with Package.resolved, which names the version and commit of every Swift package; a build of
                                 them uses these and no others (RESOLVED in the Makefile)
    sealite-VERSION.cdx.json     what the programs consist of, in CycloneDX 1.6, made and validated by cyclonedx-python-lib of PyPI
    *.deb                        the Debian packages
    tag-vVERSION.txt             the text of the tag: the section of CHANGELOG, and the checksum of the sources
    SHA256SUMS                   of all of them

The same commit and the same programs give the same files, byte by byte. RELEASING.md has the steps before and after.
"""

import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = "cyclonedx-python-lib[json-validation]==11.12.0"
VENV = ROOT / ".build/venv-sbom"
# Documents that name the version, each by a text with it.
NAMED_IN = {"README.md": ["Version {}.", 'from: "{}"']}
# The licences of the Swift packages, by SPDX's names: the text that is to be in their file, and the name. licence() refuses others.
LICENCES = {"Apache License": "Apache-2.0", "Permission is hereby granted, free of charge": "MIT"}
# What is linked in beside Swift packages: of the toolchain, and inside of packages.
INSIDE = [
    ("swift", "the Swift runtime, Foundation and Dispatch of the toolchain", "Apache-2.0 WITH Swift-exception"),
    ("icu", "ICU's functions and its tables for English, inside Foundation", "Unicode-3.0"),
    ("boringssl", "BoringSSL, inside swift-nio-ssl, for TLS", "Apache-2.0 AND MIT"),
]


def run(*command, **options):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, **options).stdout.strip()


def section_of(changelog, title):
    """The text below a heading of the second level that begins with a title; None without it."""
    found = re.search(rf"^## {re.escape(title)}(?P<rest>[^\n]*)\n(?P<text>.*?)(?=^## |\Z)", changelog, re.M | re.S)
    return (found["rest"].strip(), found["text"].strip()) if found else None


def version_of_sources():
    source = (ROOT / "Sources/SealiteFile/SealiteFile.swift").read_text(encoding="utf-8")
    return re.search(r'static let number = "([^"]+)"', source)[1]


def faults(version):
    """What the release lacks: lines with the remedy. The section of CHANGELOG, if it is there."""
    lacks, section = [], None
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?", version):
        lacks.append(f'"{version}" isn\'t a version such as 0.1.0')
    number = version_of_sources()
    if number != version:
        lacks.append(f"the sources have the version {number}: set `number` in Sources/SealiteFile/SealiteFile.swift")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = section_of(changelog, version)
    if not found:
        lacks.append(f'CHANGELOG.md has no section "## {version} (DATE)"')
    else:
        date, section = found
        if not re.fullmatch(r"\(\d{4}-\d{2}-\d{2}\)", date):
            lacks.append(f'the heading of {version} in CHANGELOG.md has no date: "## {version} (2026-01-31)"')
        if not section:
            lacks.append(f"the section {version} of CHANGELOG.md is empty")
    unreleased = section_of(changelog, "Unreleased")
    if unreleased and unreleased[1]:
        lacks.append('CHANGELOG.md has something in "## Unreleased": move it to the section of the version')
    for page, texts in NAMED_IN.items():
        written = (ROOT / page).read_text(encoding="utf-8")
        lacks += [f"{page} doesn't contain `{text.format(version)}`" for text in texts if text.format(version) not in written]
    if not (ROOT / ".git").exists():
        lacks.append("this isn't a clone: a release is made of a commit")
        return lacks, section
    if run("git", "status", "--porcelain"):
        lacks.append("there are files that aren't committed: git status")
    if run("git", "tag", "--list", f"v{version}"):
        lacks.append(f"there is a tag v{version} already")
    return lacks, section


def built_faults(commit):
    """Whether the programs are those of the commit, and the versions of Swift packages are known."""
    try:
        shown = run(str(ROOT / ".build/release/sealite"), "--version")
    except OSError:
        return ["nothing is built: make build"]
    if f"commit {commit}\n" not in shown + "\n":
        return ["the programs are of another commit: make build"]
    return [] if (ROOT / "Package.resolved").exists() else ["Package.resolved isn't there: swift package resolve"]


def sources(version, commit, moment):
    """The archive: what git has, its commit written into scripts/commit.sh, and Package.resolved."""
    prefix = f"sealite-{version}/"
    plain = subprocess.run(["git", "archive", "--format=tar", f"--prefix={prefix}", commit], cwd=ROOT, check=True, capture_output=True).stdout
    packed = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(plain)) as given, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member in given:
            archive.addfile(member, given.extractfile(member) if member.isfile() else None)
        resolved = (ROOT / "Package.resolved").read_bytes()
        entry = tarfile.TarInfo(prefix + "Package.resolved")
        entry.size, entry.mtime, entry.mode, entry.uname, entry.gname = len(resolved), moment, 0o644, "root", "root"
        archive.addfile(entry, io.BytesIO(resolved))
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=moment, filename="") as zipped:
        zipped.write(packed.getvalue())
    return file.getvalue()


def licence(identity):
    """The licence of a Swift package, by the file that is checked out."""
    for folder in (ROOT / ".build/checkouts").iterdir():
        if folder.name.lower() == identity:
            text = next(folder.glob("LICENSE*")).read_text(encoding="utf-8")
            known = [name for part, name in LICENCES.items() if part in text]
            if len(known) == 1:
                return known[0]
    sys.exit(f"release: the licence of {identity} isn't known: LICENCES in scripts/release.py")


def contents(version, commit, moment, packages):
    """What cyclonedx-python-lib is told: the components, as JSON for the program below."""
    swift = re.search(r"Swift version (\S+)", run(os.environ.get("SWIFT", "swift"), "--version"))[1]
    components = []
    for pin in json.loads((ROOT / "Package.resolved").read_text(encoding="utf-8"))["pins"]:
        place = re.sub(r"^https://|\.git$", "", pin["location"])
        components.append({
            "name": place.rsplit("/", 1)[1], "version": pin["state"]["version"], "licence": licence(pin["identity"]),
            "purl": f"pkg:swift/{place}@{pin['state']['version']}", "place": pin["location"], "revision": pin["state"]["revision"]})
    for name, description, terms in INSIDE:
        components.append({"name": name, "version": swift if name == "swift" else "", "licence": terms, "description": description})
    # Libraries of the system, with the oldest version that the programs work with; those that are loaded when they are used are optional.
    for package in packages:
        for field, scope in ("Depends", "required"), ("Recommends", "optional"):
            for entry in filter(None, run("dpkg-deb", "-f", str(package), field).split(", ")):
                name, _, oldest = entry.partition(" (>= ")
                if (name.startswith("lib") or field == "Depends") and not any(one["name"] == name for one in components):
                    components.append({
                        "name": name, "version": "", "purl": f"pkg:deb/debian/{name}", "scope": scope,
                        "description": "a library of the system" + (f", {oldest.rstrip(')')} or later" if oldest else "")})
    return {
        "version": version, "commit": commit, "moment": datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat(),
        "serial": str(uuid.uuid5(uuid.NAMESPACE_URL, f"sealite:{version}:{commit}")), "components": components}


WRITER = '''
import datetime, json, sys, uuid
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

given = json.load(sys.stdin)
program = Component(name="sealite", version=given["version"], type=ComponentType.APPLICATION, bom_ref="sealite",
    licenses=[LicenseExpression("Apache-2.0")], properties=[Property(name="sealite:commit", value=given["commit"])])
bom = Bom(serial_number=uuid.UUID(given["serial"]))
bom.metadata.component = program
bom.metadata.timestamp = datetime.datetime.fromisoformat(given["moment"])
for one in given["components"]:
    component = Component(
        name=one["name"], version=one["version"] or None, type=ComponentType.LIBRARY, bom_ref=one.get("purl", one["name"]),
        purl=PackageURL.from_string(one["purl"]) if "purl" in one else None, description=one.get("description"),
        licenses=[LicenseExpression(one["licence"])] if "licence" in one else [],
        scope=ComponentScope(one.get("scope", "required")),
        external_references=[ExternalReference(type=ExternalReferenceType.VCS, url=XsUri(one["place"]),
            hashes=[HashType(alg=HashAlgorithm.SHA_1, content=one["revision"])])] if "place" in one else [])
    bom.components.add(component)
    bom.register_dependency(program, [component])
text = JsonV1Dot6(bom).output_as_string(indent=2)
fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
if fault:
    sys.exit(f"release: the list of components isn't CycloneDX: {fault}")
print(text)
'''


def component_list(given):
    python = VENV / "bin/python3"
    marker = VENV / "installed"
    if not marker.exists() or marker.read_text() != LIBRARY:
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", LIBRARY], check=True)
        marker.write_text(LIBRARY)
    return subprocess.run([python, "-c", WRITER], input=json.dumps(given).encode(), check=True, stdout=subprocess.PIPE).stdout


def main(version, only_check):
    lacks, section = faults(version)
    commit = run("git", "rev-parse", "HEAD") if (ROOT / ".git").exists() else ""
    if not lacks and not only_check:
        lacks = built_faults(commit)
    for line in lacks:
        print(f"release: {line}", file=sys.stderr)
    if lacks:
        sys.exit(1)
    if only_check:
        print(f"release: {version} can be made of {commit}")
        return
    moment = int(run("scripts/commit.sh", "--time"))
    folder = ROOT / ".build/dist" / version
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    subprocess.run([ROOT / "scripts/make-deb.sh", ROOT / ".build/release", folder], check=True, stdout=subprocess.DEVNULL)
    (folder / "make-deb.log").unlink()
    packages = sorted(folder.glob("*.deb"))
    archive = sources(version, commit, moment)
    (folder / f"sealite-{version}.tar.gz").write_bytes(archive)
    (folder / f"sealite-{version}.cdx.json").write_bytes(component_list(contents(
        version, commit, moment, [package for package in packages if "dbgsym" not in package.name])))
    digest = hashlib.sha256(archive).hexdigest()
    (folder / f"tag-v{version}.txt").write_text(
        f"Sealite {version}\n\n{section}\n\nSHA-256 of sealite-{version}.tar.gz:\n{digest}\n", encoding="utf-8")
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.iterdir()))
    (folder / "SHA256SUMS").write_text(sums)
    print(sums, end="")
    print(f"release: {os.path.relpath(folder)}; RELEASING.md has what follows")


arguments = [word for word in sys.argv[1:] if word != "--check"]
if len(arguments) != 1:
    sys.exit(__doc__)
main(arguments[0], "--check" in sys.argv[1:])
