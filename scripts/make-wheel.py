#!/usr/bin/env python3
"""Makes the Python wheel: the package of Python/sealite and a built extension. It says where the wheel is.

make-wheel.py EXTENSION FOLDER     EXTENSION is libsealitevfs.so, as `make extension` builds it; FOLDER gets the wheel

The same input gives the same wheel, byte by byte: the files are sorted, and their times fixed (SOURCE_DATE_EPOCH, otherwise 1980).
It has no library of others: libsqlite3, libcrypto and what else the extension needs are the system's.
"""

import base64
import csv
import hashlib
import io
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "Python" / "sealite"
# What glibc the extension needs: the linker packs its relocations (Makefile).
GLIBC = (2, 36)
ENTRY_POINTS = """\
[datasette]
sealite = sealite.datasette

[sqlalchemy.dialects]
sealite = sealite.sqlalchemy:SealiteDialect
sealite.pysqlite = sealite.sqlalchemy:SealiteDialect

[sqlite_utils]
sealite = sealite.sqlite_utils
"""


def version():
    source = (ROOT / "Sources/SealiteFile/SealiteFile.swift").read_text(encoding="utf-8")
    return re.search(r'static let number = "([^"]+)"', source)[1]


def metadata(number):
    description = (ROOT / "Python/README.md").read_text(encoding="utf-8")
    return f"""\
Metadata-Version: 2.4
Name: sealite
Version: {number}
Summary: Sealed (encrypted and authenticated) SQLite databases, by the standard module sqlite3
License-Expression: Apache-2.0
License-File: LICENSE
Keywords: sqlite,encryption,sqlalchemy,django,datasette
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Python :: Implementation :: CPython
Classifier: Topic :: Database
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{description}"""


def stripped(extension):
    """The extension without the symbols that only a debugger reads, and a check of what it asks of glibc."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "extension")
        subprocess.run(["strip", "--enable-deterministic-archives", "-o", copy, extension], check=True)
        needs = subprocess.run(["readelf", "--version-info", "--wide", copy], check=True, capture_output=True, text=True).stdout
        newest = max(tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", needs))
        if newest > GLIBC:
            sys.exit(f"make-wheel: {extension} needs glibc {newest[0]}.{newest[1]}, later than the tag of the wheel says")
        return pathlib.Path(copy).read_bytes()


def main(extension, folder):
    number = version()
    tag = f"py3-none-manylinux_{GLIBC[0]}_{GLIBC[1]}_{platform.machine()}"
    info = f"sealite-{number}.dist-info"
    files = {
        f"sealite/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes()
        for path in PACKAGE.rglob("*") if path.suffix == ".py" or path.name == "py.typed"
    }
    files["sealite/libsealitevfs.so"] = stripped(extension)
    files[f"{info}/METADATA"] = metadata(number).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: sealite {number}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = ENTRY_POINTS.encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        rows.writerow([name, f"sha256={digest}", len(files[name])])
    rows.writerow([f"{info}/RECORD", "", ""])

    # An archive can't say an earlier time.
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"sealite-{number}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        # The description of the wheel stands at its end, as its format recommends.
        for name in [*sorted(files, key=lambda name: (name.startswith(info), name)), f"{info}/RECORD"]:
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            wheel.writestr(entry, files.get(name, record.getvalue().encode()))
    print(os.path.relpath(path))


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(sys.argv[1], sys.argv[2])
