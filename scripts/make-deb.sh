#!/bin/sh
# Makes the Debian packages of what is built, from Packaging/debian, and says where they are. Nothing is compiled: the same programs and
# the same commit give the same packages, byte by byte.
#
# Usage: make-deb.sh BIN FOLDER
#   BIN     the folder with the programs, as `make build` leaves it: .build/release
#   FOLDER  gets the packages
# Environment:
#   DEBFULLNAME, DEBEMAIL  the maintainer, as for Debian's own tools
#   SEALITE_DEB_VERSION    another version than that of the sources with -1, such as 0.1.0~test-1
set -eu
cd "$(dirname "$0")/.."
fail() { echo "make-deb: $*" >&2; exit "${status:-1}"; }
[ $# -eq 2 ] || { sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 64; }
source=$(pwd)
bin=$(readlink -f "$1") || bin=
[ -n "$bin" ] && [ -e "$bin/sealite" ] && [ -e "$bin/libsealitevfs.so" ] || fail "nothing is built in \"$1\"; run 'make build' first"
command -v dh >/dev/null || { status=69; fail "needs debhelper: scripts/setup.sh --packages"; }
mkdir -p "$2"
folder=$(readlink -f "$2")
# The maintainer of packages that somebody builds for themselves can't be known.
maintainer="${DEBFULLNAME:-Sealite maintainers} <${DEBEMAIL:-maintainers@sealite.invalid}>"
version=${SEALITE_DEB_VERSION:-$(sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/SealiteFile/SealiteFile.swift)-1}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(scripts/commit.sh --time)}
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 SEALITE_SOURCE="$source" SEALITE_BIN="$bin"

work=$folder/sealite-${version%-*}
log=$folder/make-deb.log
free() { df -Pk "$folder" | awk 'NR == 2 { print int($4 / 1024) }'; }
# The programs with their symbols, the symbols again, and both packed.
needed=$((3 * $(du -Lck "$bin/sealite" "$bin/libsealitevfs.so" | tail -n 1 | cut -f 1) / 1024))
[ "$(free)" -ge "$needed" ] || { status=74; fail "the disk of \"$2\" has $(free) MiB free, and the packages need $needed MiB while they are made"; }

rm -rf "$work" "$folder"/sealite[_-]*.deb "$folder"/libsealitevfs[_-]*.deb
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
make_packages() (
    set -e
    mkdir -p "$work/licenses"
    cp -R Packaging/debian Packaging "$work"
    cp CHANGELOG.md "$work"
    mkdir "$work/Documentation"
    cp Documentation/Extension.md Documentation/Packages.md "$work/Documentation"
    # Of what is linked in.
    for project in "$(dirname "$1")"/checkouts/*/; do
        for text in "$project"LICENSE* "$project"NOTICE*; do
            [ ! -e "$text" ] || cp "$text" "$work/licenses/$(basename "$project")-$(basename "$text" .txt)"
        done
    done
    swift=$(command -v "${SWIFT:-swift}") && swift=$(dirname "$(readlink -f "$swift")")/../share/swift/LICENSE.txt && [ -e "$swift" ] &&
        cp "$swift" "$work/licenses/swift-LICENSE"
    chmod -R u=rwX,go=rX "$work"
    sed -i "s|@maintainer@|$maintainer|" "$work/debian/control"
    printf 'sealite (%s) unstable; urgency=medium\n\n  * Built from commit\n    %s\n\n -- %s  %s\n' "$version" \
        "$(scripts/commit.sh)" "$maintainer" "$(date --utc --date="@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')" >"$work/debian/changelog"
    cd "$work"
    dpkg-buildpackage --build=binary --no-sign
)
make_packages "$1" >"$log" 2>&1 || {
    grep -v '^make' "$log" | tail -n 5 >&2
    # The log itself may end where the disk was full.
    if [ "$(free)" -lt 2 ] || grep -q 'No space left on device' "$log"; then
        status=74
        fail "the disk of \"$2\" is full: $(free) MiB are free, and the packages need $needed MiB while they are made"
    fi
    fail "failed; the whole output is in $log"
}
rm -f "$folder"/sealite_*.buildinfo "$folder"/sealite_*.changes
for package in "$folder"/sealite[_-]*.deb "$folder"/libsealitevfs[_-]*.deb; do realpath --relative-to=. "$package"; done
