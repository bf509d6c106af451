#!/bin/sh
# Checks the README's Swift against the modules that `make test` built, as somebody else's program: from outside the package, with
# nothing but the public declarations. `make soak` builds it as a package of its own (scripts/soak.d/70-readme-package.sh).
# Usage: 30-readme.sh FOLDER, that of the tests' build.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/readme-program.py README.md >"$work/main.swift"

built=$1
# By one path always: the compiler takes a cache that it knows by another one for a second cache.
release=$(readlink -f "$built/release")
set -- -I "$release/Modules" -module-cache-path "$release/ModuleCache"
for folder in Sources/C* "$built"/checkouts/GRDB.swift/Sources/GRDBSQLite; do set -- "$@" -I "$folder"; done
# The C modules that SwiftPM made maps for, and those that bring their own.
for map in "$release"/*.build/module.modulemap "$built"/checkouts/*/Sources/*/include/module.modulemap; do
    case $map in *GRDBSQLCipher*) continue ;; esac
    set -- "$@" -Xcc "-fmodule-map-file=$map"
done
for flag in $(pkg-config --cflags-only-I libsecret-1); do set -- "$@" -Xcc "$flag"; done
swiftc -typecheck -swift-version 6 "$@" "$work/main.swift"
# The check has to find what isn't there.
sed 's/\.makePool()/.makePuddle()/' "$work/main.swift" >"$work/wrong.swift"
if swiftc -typecheck -swift-version 6 "$@" "$work/wrong.swift" 2>"$work/errors"; then
    echo "readme: a method that doesn't exist isn't noticed" >&2
    exit 1
fi
grep -q makePuddle "$work/errors"
echo "readme: its Swift compiles"
