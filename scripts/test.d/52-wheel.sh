#!/bin/sh
# Makes the Python wheel of the tests' build, twice, to the same bytes; checks its list of files; and tests the package in Debian's
# Python. scripts/soak.d/52-hosts.sh tests it in SQLAlchemy, Django and others. Usage: 52-wheel.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
built=$(readlink -f "$1/release")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "wheel: $*" >&2; exit 1; }

for round in 1 2; do scripts/make-wheel.py "$built/libsealitevfs.so" "$work/$round" >/dev/null; done
wheel=$(echo "$work"/1/sealite-*-py3-none-manylinux_2_36_"$(uname -m)".whl)
cmp "$wheel" "$work/2/$(basename "$wheel")" || fail "two wheels of the same input differ"
/usr/bin/python3 - "$wheel" "$work/unpacked" <<'PYTHON'
import base64, csv, hashlib, io, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
(record,) = [name for name in wheel.namelist() if name.endswith(".dist-info/RECORD")]
rows = {name: digest for name, digest, _ in csv.reader(io.StringIO(wheel.read(record).decode()))}
assert rows.keys() == set(wheel.namelist()), rows.keys() ^ set(wheel.namelist())
for name in rows.keys() - {record}:
    digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
    assert rows[name] == "sha256=" + digest, name
assert [name for name in rows if name.endswith(".so")] == ["sealite/libsealitevfs.so"] and "sealite/py.typed" in rows
wheel.extractall(sys.argv[2])
PYTHON
PYTHONPATH="$work/unpacked" SEALITE_TOOL="$built/sealite" PYTHONDONTWRITEBYTECODE=1 \
    /usr/bin/python3 -W error::ResourceWarning -W error::SyntaxWarning Python/tests/test_sealite.py 2>"$work/said" || { cat "$work/said" >&2; fail "the tests of the package fail"; }
# The first program of the page, as it stands.
sed -n '/^```python$/,/^```$/p' Documentation/Python.md | sed '/^```$/q' | sed '/^```/d' >"$work/first.py"
cd "$work"
"$built/sealite" keygen -q -o notes.key
"$built/sealite" create notes.db -q -k notes.key
[ "$(PYTHONPATH="$work/unpacked" /usr/bin/python3 first.py)" = 1 ] || fail "the first program of Python.md doesn't print 1"
echo "wheel: $(basename "$wheel") is reproducible; $(grep -o 'Ran [0-9]* tests' said) of the package"
