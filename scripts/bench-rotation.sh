#!/bin/sh
# Runs the rotation benchmark beside SQLCipher: bench-rotation.sh PROGRAM [ROUNDS [MEBIBYTES]]
# SQLCipher comes as a Python package into .build; without it the rows that need it have no bound.
set -eu
cd "$(dirname "$0")/.."
venv=.build/venv-sqlcipher
[ -x $venv/bin/python3 ] && $venv/bin/python3 -c 'import sqlcipher3' 2>/dev/null || {
    /usr/bin/python3 -m venv --clear $venv
    $venv/bin/python3 -m pip install --quiet --disable-pip-version-check 'sqlcipher3-binary==0.6.0' ||
        echo "bench-rotation: SQLCipher can't be installed: nothing to compare with" >&2
}
if $venv/bin/python3 -c 'import sqlcipher3' 2>/dev/null; then
    SEALITE_PEERS_PYTHON="$PWD/$venv/bin/python3"
    export SEALITE_PEERS_PYTHON
fi
exec "$@"
