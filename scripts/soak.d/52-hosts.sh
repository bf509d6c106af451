#!/bin/sh
# Installs the wheel and the packages of PyPI that Documentation/Python.md describes, in pinned versions, and lets each work on a sealed
# file, or be refused with the reason. Usage: 52-hosts.sh [EXTENSION TOOL]; without them both are built.
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || make --no-print-directory build
extension=$(readlink -f "${1:-.build/release/libsealitevfs.so}")
SEALITE_TOOL=$(readlink -f "${2:-.build/release/sealite}")
export SEALITE_TOOL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/make-wheel.py "$extension" "$work" >/dev/null
# FOLDER PACKAGE...
packages() {
    folder=$work/$1
    shift
    /usr/bin/python3 -m venv "$folder"
    "$folder/bin/python3" -m pip install --quiet --disable-pip-version-check "$work"/sealite-*.whl "$@"
}
packages hosts sqlalchemy==2.1.9 pandas==3.1.1 django==5.2 gunicorn==27.0.1 datasette==0.65.5 sqlite-utils==4.2.1 aiosqlite==0.22.1 \
    mypy==2.4.1 twine==7.0.0 check-wheel-contents==0.6.3
packages copies apsw==3.54.1.0 pysqlite3-binary==0.5.4.post2 sqlcipher3-binary==0.6.0 sqlite-utils==4.2.1

bin=$work/hosts/bin
"$bin/twine" check --strict "$work"/sealite-*.whl
"$bin/check-wheel-contents" "$work"/sealite-*.whl
# Datasette and Django have no types.
"$bin/mypy" --strict --ignore-missing-imports --allow-subclassing-any --allow-untyped-decorators --cache-dir "$work/mypy" Python/sealite
for folder in hosts copies; do "$work/$folder/bin/python3" Python/tests/test_sealite.py; done
"$work/hosts/bin/python3" Python/tests/test_hosts.py
"$work/copies/bin/python3" Python/tests/test_hosts.py OwnCopies
echo "hosts: all work on a sealed file, or are refused with the reason"
