#!/bin/sh
# SQLite's WAL-reset bug (https://sqlite.org/wal.html#the_wal_reset_bug) loses no row of a sealed database: the tests of it, and
# their stress of three writers, two checkpointers and a key rotation for minutes, with the system's libsqlite3, with that of another
# release of Debian that has the bug, and with one that doesn't. The others are built from Debian's source packages, since their
# binaries may need a newer C library; the machine's lists and configuration stay as they are.
# Usage: 45-wal-reset.sh [RELEASE…]    names of Debian's releases, by default: trixie sid; the last one has to have the fix
#     SHORT=1: the short form of the tests
set -eu
cd "$(dirname "$0")/../.."
tests=$PWD/.build/tests/release/SealitePackageTests.xctest
[ -e "$tests" ] || { echo "wal-reset: no tests are built; run 'make test' first" >&2; exit 1; }
[ $# -gt 0 ] || set -- trixie sid
scripts/setup.sh tcl dpkg-dev gcc make
work=$PWD/.build/wal-reset
keys=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Created-By: Packages' | grep -v security | head -1)

# What Sealite, GRDB and the tests need of the options of Debian's package.
options="-DSQLITE_SECURE_DELETE -DSQLITE_THREADSAFE=1 -DSQLITE_USE_URI=1 -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_FTS3
    -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS3_TOKENIZER -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE
    -DSQLITE_ENABLE_UNLOCK_NOTIFY -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_DBPAGE_VTAB -DSQLITE_ENABLE_LOAD_EXTENSION
    -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_SESSION -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_MATH_FUNCTIONS
    -DSQLITE_MAX_VARIABLE_NUMBER=250000"

# Builds libsqlite3.so.0 of a release in a folder of that name.
build() { # RELEASE
    [ ! -e "$work/$1/libsqlite3.so.0" ] || return 0
    mkdir -p "$work/$1/lists/partial" "$work/$1/cache" "$work/$1/fetch" "$work/$1/build"
    cd "$work/$1"
    echo "deb-src [signed-by=$keys] $mirror $1 main" >sources.list
    for step in update "source sqlite3"; do
        # shellcheck disable=SC2086  # two words
        (cd fetch && apt-get -q -o Dir::Etc::sourcelist="$work/$1/sources.list" -o Dir::Etc::sourceparts=/dev/null \
            -o Dir::State::lists="$work/$1/lists" -o Dir::Cache="$work/$1/cache" -o APT::Sandbox::User= $step)
    done
    cd build
    ../fetch/sqlite3-*/configure
    make sqlite3.c
    # shellcheck disable=SC2086  # options
    gcc -O1 -w -fPIC -shared -Wl,-soname,libsqlite3.so.0 $options sqlite3.c -o ../libsqlite3.so.0 -ldl -lm -lpthread
}

# Runs the tests with the libsqlite3 of a folder, or the system's.
run() { # NAME [FOLDER]
    version=$(LD_LIBRARY_PATH=${2:-} python3 -c '
import ctypes
library = ctypes.CDLL("libsqlite3.so.0")
library.sqlite3_libversion.restype = ctypes.c_char_p
print(library.sqlite3_libversion().decode())')
    echo "wal-reset: SQLite $version ($1)"
    LD_LIBRARY_PATH=${2:-} "$tests" --testing-library swift-testing --filter 'WALReset' >"$work/$1.txt" 2>&1 || {
        tail -40 "$work/$1.txt" >&2
        echo "wal-reset: failed with SQLite $version; see .build/wal-reset/$1.txt" >&2
        exit 1
    }
    grep -E 'refused backfills|Test run with' "$work/$1.txt"
}

mkdir -p "$work"
[ -n "${SHORT:-}" ] || export SEALITE_SOAK=1
run system
for release; do
    (build "$release") >"$work/$release.log" 2>&1 || {
        tail -20 "$work/$release.log" >&2
        echo "wal-reset: SQLite of $release couldn't be built" >&2
        exit 1
    }
    run "$release" "$work/$release"
done
dpkg --compare-versions "$version" ge 3.51.3 || {
    echo "wal-reset: SQLite $version of $release has the bug; name a release that doesn't" >&2
    exit 1
}
