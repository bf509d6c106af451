#!/bin/sh
# Runs README's commands for installing and trying as they stand, in the cheapest build that has their flags and targets
# (SEALITE_BUILD=plain in the Makefile), and checks what they install and that it can be removed; scripts/fresh-machine.sh runs them with
# the optimised build. Of README's other commands, which take too long, the shell and make only read what they would do.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "readme: $1" >&2; exit 1; }
# As from a user's shell, not from a make; sudo may be missing where root runs this, and nothing may be installed outside of $work.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
mkdir "$work/bin"
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/sudo"
export PATH="$work/bin:$PATH" DESTDIR="$work/image" SEALITE_DEMO_FOLDER="$work/demo" SEALITE_BUILD=plain

run() {
    scripts/readme-blocks.py README.md "$1" >"$work/$1"
    bash -eu "$work/$1" || fail "its commands of the kind '$1' fail"
}

run install
installed=$work/image/usr/local
[ "$("$installed/bin/sealite" --version | head -n 1 | cut -d ' ' -f 1)" = Sealite ] || fail "the installed tool doesn't say what it is"
for file in lib/libsealitevfs.so lib/pkgconfig/sealitevfs.pc include/sealitevfs.h share/bash-completion/completions/sealite share/zsh/site-functions/_sealite \
    share/fish/vendor_completions.d/sealite.fish share/man/man1/sealite.1 share/man/man1/sealite-key-list.1; do
    [ -s "$installed/$file" ] || fail "'make install' leaves out $file"
done
for file in bin/sealite lib/libsealitevfs.so; do
    ! nm "$installed/$file" 2>/dev/null | grep -q . || fail "the installed $file has symbols left"
done
scripts/check-extension.sh "$installed/lib/libsealitevfs.so"
# Each command has its page, without a warning of the program that shows it.
[ "$(find "$installed/share/man/man1" -type f | wc -l)" -gt 80 ] || fail "manual pages are missing"
if command -v groff >/dev/null; then
    warnings=$(find "$installed/share/man/man1" -name '*.1' -exec groff -man -ww -Tutf8 -z {} + 2>&1)
    [ -z "$warnings" ] || fail "$warnings"
fi
make --no-print-directory uninstall >/dev/null
[ -z "$(find "$work/image" -type f)" ] || fail "'make uninstall' leaves $(find "$work/image" -type f)"

run try

scripts/readme-blocks.py README.md other >"$work/other"
bash -n "$work/other"
targets=$(grep -oE '\bmake [a-z-]+' "$work/other" | cut -d ' ' -f 2)
[ -n "$targets" ] || fail "no make in its other commands"
for target in $targets; do make -n "$target" >/dev/null || fail "make $target isn't possible"; done
echo "readme: its commands for installing and trying run as they stand; its other commands exist: $(echo $targets)"
