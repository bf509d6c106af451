#!/bin/bash
# Runs the tests in a chroot of Debian 13, with its libraries and programs: nothing is built again. That are all suites, and the scripts
# of scripts/test.d that compile nothing.
#
# Usage: 64-debian13.sh [SUITES [FOLDER]]
#   SUITES  which suites, a regular expression; without it all, as `make test` divides them
#   FOLDER  that of the tests' build, .build/tests
# Environment: that of scripts/debian-chroot.sh. Needs root, debootstrap, a network and 4 GiB in TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/debian-chroot.sh
needs_root debian13
folder=${2:-.build/tests}
[ -x "$folder/release/SealitePackageTests.xctest" ] || { echo "debian13: no tests are built in $folder: make test-debian13" >&2; exit 66; }
if [ -z "${CHROOT_WORK:-}" ]; then
    scripts/setup.sh debootstrap
    in_namespace "$@"
fi
debian=13
make_root
project=$(pwd)
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
# Both at their places, which the programs know. What is written in the project goes elsewhere.
mkdir -p "$root$project" "$root$toolchain" "$work/written" "$work/overlay"
mount --bind "$toolchain" "$root$toolchain"
mount -o remount,bind,ro "$root$toolchain"
mount -t overlay -o "lowerdir=$project,upperdir=$work/written,workdir=$work/overlay" overlay "$root$project"
# Made by and for the other Debian.
rm -rf "$root$project"/.build/programs "$root$project"/.build/venv*
environment+=(PATH="$toolchain/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root SEALITE_WITHOUT_BENCHMARKS=1 SWIFT_DETERMINISTIC_HASHING=1)
quietly in_chroot apt-get update
get make sudo
quietly in_chroot "$project/scripts/setup.sh" --test
in_chroot sh -c "cd $project && $folder/release/sealite --version" | sed 's/^/    /'

failed=
# part NAME COMMAND...: prints its failures and its last line.
part() {
    local what=$1
    shift
    if in_chroot sh -c 'cd "$0" && exec "$@"' "$project" "$@" >"$log" 2>&1 && ! grep -q 'run with 0 tests' "$log"; then
        say "$what: $(grep -v '^$' "$log" | tail -n 1)"
    else
        failed+=" $what"
        cp "$log" "$work/$what.log"
        grep -E '✘|recorded an issue|^[a-z-]*: ' "$log" | tail -n 60 >&2 || tail -n 40 "$log" >&2
    fi
}
tests=("$folder/release/SealitePackageTests.xctest" --testing-library swift-testing --experimental-maximum-parallelization-width 3)
if [ -n "${1:-}" ]; then
    part "suites" "${tests[@]}" --filter "$1"
else
    # As the Makefile has them.
    alone=$(make -s print-alone) sockets=$(make -s print-sockets)
    part "most-suites" "${tests[@]}" --skip "$alone|$sockets"
    part "credentials" "${tests[@]}" --filter "$alone"
    part "sockets" "${tests[@]}" --filter "$sockets"
fi
for script in 20-blob-memory 30-readme 40-attacks 52-wheel 55-tasks; do part $script "scripts/test.d/$script.sh" "$folder"; done
[ -z "$failed" ] || fail "failed:$failed"
