#!/bin/sh
# Runs README's commands for installing and trying as they stand, in the cheapest build that has their flags and targets
# (SEALITE_BUILD=plain in the Makefile), below folders that are removed; scripts/fresh-machine.sh runs them with the optimised build.
# Of README's other commands, which take too long, the shell and make only read what they would do.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# As from a user's shell, not from a make; sudo may be missing where root runs this, and nothing may be installed outside of $work.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
mkdir "$work/bin"
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/sudo"
export PATH="$work/bin:$PATH" DESTDIR="$work/image" SEALITE_DEMO_FOLDER="$work/demo" SEALITE_BUILD=plain

run() {
    scripts/readme-blocks.py README.md "$1" >"$work/$1"
    bash -eu "$work/$1"
    echo "readme: its commands of the kind '$1' run"
}
run install
[ "$("$work/image/usr/local/bin/sealite" --version | cut -d ' ' -f 1)" = Sealite ]
[ -s "$work/image/usr/local/lib/libsealitevfs.so" ]
run try

scripts/readme-blocks.py README.md other >"$work/other"
bash -n "$work/other"
targets=$(grep -oE '\bmake [a-z-]+' "$work/other" | cut -d ' ' -f 2)
[ -n "$targets" ] || { echo "readme: no make in its other commands" >&2; exit 1; }
for target in $targets; do
    make -n "$target" >/dev/null || { echo "readme: make $target isn't possible" >&2; exit 1; }
done
echo "readme: its commands for installing and trying run as they stand; its other commands exist: $(echo $targets)"
