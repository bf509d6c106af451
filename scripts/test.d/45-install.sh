#!/bin/sh
# Installs the tests' build of the tool and the extension of `make test` below a folder, and removes them. Usage: 45-install.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
set -- BIN="$(readlink -f "$1/release")" EXTENSION=.build/plain/release/libsealitevfs.so DESTDIR="$work/image" prefix=/usr
# `make test` has built the extension; without it any program stands for it.
[ -e .build/plain/release/libsealitevfs.so ] || set -- "$@" EXTENSION=/bin/true
make --no-print-directory install "$@" >/dev/null
installed=$work/image/usr
[ "$("$installed/bin/sealite" --version | cut -d ' ' -f 1)" = Sealite ]
for file in lib/libsealitevfs.so share/bash-completion/completions/sealite share/zsh/site-functions/_sealite \
    share/fish/vendor_completions.d/sealite.fish share/man/man1/sealite.1 share/man/man1/sealite-key-list.1; do
    [ -s "$installed/$file" ] || { echo "install: $file is missing" >&2; exit 1; }
done
for file in bin/sealite lib/libsealitevfs.so; do
    ! nm "$installed/$file" 2>/dev/null | grep -q . || { echo "install: $file has symbols left" >&2; exit 1; }
done
# Each command has its page, without a warning of the program that shows it.
[ "$(find "$installed/share/man/man1" -type f | wc -l)" -gt 80 ] || { echo "install: manual pages are missing" >&2; exit 1; }
if command -v groff >/dev/null; then
    warnings=$(find "$installed/share/man/man1" -name '*.1' -exec groff -man -ww -Tutf8 -z {} + 2>&1)
    [ -z "$warnings" ] || { echo "install: $warnings" >&2; exit 1; }
fi
make --no-print-directory uninstall "$@" >/dev/null
[ -z "$(find "$work/image" -type f)" ] || { echo "uninstall: left $(find "$work/image" -type f)" >&2; exit 1; }
echo "install: the tool, the extension, manual pages and completions come and go"
