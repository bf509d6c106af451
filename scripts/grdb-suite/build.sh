#!/bin/sh
# Builds GRDB's tests from a copy of the checkout that SwiftPM has of it, with scripts/sqlite-suite/default-vfs.c linked in.
# Usage: build.sh FOLDER    makes FOLDER/source and FOLDER/build; copies again where the checkout's revision is another one
set -eu
here=$(dirname "$(readlink -f "$0")")
cd "$here/../.."
scripts/setup.sh gcc libsqlite3-dev sqlite3
swift=${SWIFT:-swift}
mkdir -p "$1"
folder=$(readlink -f "$1")
checkout=
for found in .build/tests/checkouts/GRDB.swift .build/checkouts/GRDB.swift; do
    [ ! -e "$found/Package.swift" ] || checkout=$found
done
if [ -z "$checkout" ]; then
    "$swift" package resolve
    checkout=.build/checkouts/GRDB.swift
fi
revision=$(git -C "$checkout" rev-parse HEAD)
if [ "$(cat "$folder/source/revision" 2>/dev/null)" != "$revision" ]; then
    rm -rf "$folder/source"
    mkdir "$folder/source"
    git -C "$checkout" archive HEAD | tar xf - -C "$folder/source"
    # Tests that can't be compiled on Linux would be removed here.
    echo "$revision" > "$folder/source/revision"
fi
program=$folder/build/release/GRDBPackageTests.xctest
if [ -z "$(find "$folder/default-vfs.o" -newer scripts/sqlite-suite/default-vfs.c -newer "$here/build.sh" 2>/dev/null)" ]; then
    gcc -O1 -fPIC -Wall -Werror -DSEALITE_SUITE_OF_SYSTEM -c scripts/sqlite-suite/default-vfs.c -o "$folder/default-vfs.o"
    rm -f "$program"
fi
# As `make test` builds: module by module, not optimised, without debug information.
nice -n 19 "$swift" build -c release --build-tests --package-path "$folder/source" --scratch-path "$folder/build" \
    -Xswiftc -no-emit-module-separately-wmo -debug-info-format none -Xswiftc -Onone -Xcc -O0 -Xswiftc -use-ld=lld \
    -Xswiftc -enable-testing -Xswiftc -suppress-warnings -Xlinker "$folder/default-vfs.o"
nm -D "$program" | grep -q ' T sqlite3_uri_parameter$' || { echo "grdb-suite: $program doesn't export default-vfs.c" >&2; exit 1; }
