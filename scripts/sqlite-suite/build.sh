#!/bin/sh
# Builds SQLite's testfixture from the source package of the libsqlite3 that is installed, with default-vfs.c linked in.
# The source comes from the mirrors that apt is configured with; the machine's lists and configuration stay as they are.
# Usage: build.sh FOLDER    makes FOLDER/source and FOLDER/testfixture; does nothing where testfixture is newer than this folder
set -eu
here=$(dirname "$(readlink -f "$0")")
"$here/../setup.sh" tcl-dev dpkg-dev gcc make
mkdir -p "$1"
cd "$1"
version=$(dpkg-query -W -f='${source:Version}' libsqlite3-0)
if [ "$(cat source/version 2>/dev/null)" != "$version" ]; then
    rm -rf fetch source build testfixture
    mkdir -p fetch/sources.d fetch/lists/partial fetch/cache
    cd fetch
    eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
    for file in "$list" "$parts"/*.list; do
        [ ! -f "$file" ] || sed -n 's/^deb\([[:space:]]\)/deb-src\1/p' "$file" > "sources.d/${file##*/}"
    done
    for file in "$parts"/*.sources; do
        [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" > "sources.d/${file##*/}"
    done
    get() {
        apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$PWD/sources.d" \
            -o Dir::State::lists="$PWD/lists" -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User= "$@"
    }
    get update
    get source "sqlite3=$version"
    cd ..
    mv fetch/sqlite3-*/ source
    rm -rf fetch
    echo "$version" > source/version
fi
if [ -x testfixture ] && [ -z "$(find "$here" -newer testfixture -name '*.c' -o -newer testfixture -name build.sh)" ]; then exit; fi
mkdir -p build
cd build
[ -f Makefile ] || ../source/configure --quiet --disable-shared --enable-fts4 --enable-fts5 --enable-rtree --enable-session CFLAGS='-O1 -w'
rm -f sqlite3.c
make --quiet sqlite3.c
# Three places where default-vfs.c stands between. Each has to match once.
change() { # TEXT REPLACEMENT
    [ "$(grep -c "$1" sqlite3.c)" = 1 ] || { echo "sqlite-suite: sqlite3.c has no single \"$1\"" >&2; exit 1; }
    sed -i "s/$1/$2/" sqlite3.c
}
change '^SQLITE_API const char \*sqlite3_uri_parameter(const char \*zFilename' 'const char *sqlite3_uri_parameter(const char *, const char *);\nconst char *sqlite3_uri_parameter_of_sqlite(const char *zFilename'
change '^SQLITE_API int sqlite3_auto_extension($' 'int sqlite3_auto_extension_of_sqlite('
change '^      nReserve = 0;$' '      extern int sealite_suite_reserve; nReserve = sealite_suite_reserve;'
gcc -O1 -g -Wall -Werror -I. -c "$here/default-vfs.c" -o default-vfs.o
rm -f testfixture
make --quiet testfixture TLIBS="$PWD/default-vfs.o -export-dynamic -ldl -lm -lz -lpthread" \
    OPTS="-DSQLITE_EXTRA_INIT=sealite_suite_initialize -DSQLITE_USE_URI=0"
mv testfixture ..
