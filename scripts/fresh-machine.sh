#!/bin/bash
# Tries what README asks for on a bare Debian 12: a chroot made by debootstrap, in which there are only a Swift toolchain, make and,
# for a user without root's rights, sudo. Twice, as root and as such a user: the demo's packages, a package of one line built and
# run, the tests' packages, a second run that has nothing to do; and that no service of the machine came or changed.
# Needs root, debootstrap, a network and 2 GiB in TMPDIR. Everything is in a mount namespace of its own and is removed at the end.
#
# Usage: fresh-machine.sh TOOLCHAIN [root|user]
#   TOOLCHAIN            the folder in which a Swift toolchain was unpacked (it has usr/bin/swift)
# Environment:
#   FRESH_DEMO=yes       run the whole `make demo` as well: its build is half an hour's work for one core
#   FRESH_DEMO=DIR       run it with the programs in DIR, which were built before (sealite, GRDBDump, PersonMigration, libsealitevfs.so)
#   FRESH_MIRROR=URL     a Debian mirror
#   FRESH_BASE=FILE      what debootstrap makes, as a tar file: taken from there, or put there
#   FRESH_GITCONFIG=FILE becomes /etc/gitconfig, for machines that fetch Swift packages from a mirror
#   FRESH_BIND="DIR …"   shown read-only at the same place, for the same machines
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] && [ -x "$1/usr/bin/swift" ] || { sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 64; }
[ "$(id -u)" -eq 0 ] || { echo "fresh-machine: needs root, for debootstrap and chroot" >&2; exit 77; }
command -v debootstrap >/dev/null || { echo "fresh-machine: needs debootstrap: apt-get install debootstrap" >&2; exit 69; }
if [ -z "${FRESH_WORK:-}" ]; then
    # Outside of the namespace: its mounts are gone when this removes the files.
    FRESH_WORK=$(mktemp -d)
    export FRESH_WORK
    unshare --mount --pid --fork --kill-child --mount-proc --propagation private "$0" "$@" &
    inner=$!
    trap 'kill "$inner" 2>/dev/null && wait "$inner"; rm -rf --one-file-system "$FRESH_WORK"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    wait "$inner"
    exit
fi
toolchain=$(readlink -f "$1")
mirror=${FRESH_MIRROR:-http://deb.debian.org/debian}
root=$FRESH_WORK/root
say() { printf '\n== %s\n' "$*"; }
fail() { echo "fresh-machine: $*" >&2; exit 1; }

log=$FRESH_WORK/log
# Runs a step whose output is of interest only where it fails.
quietly() { "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "failed: $*"; }; }

say "A bare Debian 12"
# Nothing here has to survive a power loss.
mkdir -p "$FRESH_WORK/base/etc/dpkg/dpkg.cfg.d"
echo force-unsafe-io >"$FRESH_WORK/base/etc/dpkg/dpkg.cfg.d/fresh-machine"
if [ -e "${FRESH_BASE:-}" ]; then
    quietly tar -C "$FRESH_WORK/base" -xf "$FRESH_BASE"
else
    quietly debootstrap --variant=minbase bookworm "$FRESH_WORK/base" "$mirror"
    [ -z "${FRESH_BASE:-}" ] || quietly tar -C "$FRESH_WORK/base" -cf "$FRESH_BASE" .
fi
# As the installer leaves it: a bare system knows of updates.
cat >"$FRESH_WORK/base/etc/apt/sources.list" <<LIST
deb $mirror bookworm main
deb $mirror bookworm-updates main
LIST
cp /etc/resolv.conf "$FRESH_WORK/base/etc/resolv.conf"
[ -z "${FRESH_GITCONFIG:-}" ] || cp "$FRESH_GITCONFIG" "$FRESH_WORK/base/etc/gitconfig"
du -sh "$FRESH_WORK/base" | cut -f 1

inside() { env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb chroot "$root" "$@"; }
# Runs a command in the package's folder, as the one who tries it.
try() {
    inside su - "$who" -c "export PATH=/toolchain/usr/bin:\$PATH LC_ALL=C.UTF-8; cd $home/sealite && $1"
}
# Runs a command as `try` does, and says after how many seconds it printed its first line, and ended.
timed() {
    local start=$SECONDS
    try "$1" | {
        IFS= read -r line && printf '%s\n(the first line after %d s)\n' "$line" $((SECONDS - start))
        cat
    }
    echo "(ended after $((SECONDS - start)) s)"
}
show_read_only() {
    mkdir -p "$root$2"
    mount --bind "$1" "$root$2"
    mount -o remount,bind,ro "$root$2"
}
prepare() {
    cp -a "$FRESH_WORK/base" "$root"
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/dev"
    mkdir "$root/dev/shm"
    chmod 1777 "$root/dev/shm"
    for device in null zero full random urandom tty; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
    ln -s /proc/self/fd "$root/dev/fd"
    show_read_only "$toolchain" /toolchain
    for folder in ${FRESH_BIND:-}; do show_read_only "$folder" "$folder"; done
    quietly inside apt-get update
    quietly inside apt-get install -y --no-install-recommends make
    if [ "$who" != root ]; then
        quietly inside apt-get install -y --no-install-recommends sudo
        inside useradd --create-home --shell /bin/bash "$who"
        echo "$who ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$who"
        chmod 440 "$root/etc/sudoers.d/$who"
    fi
    # As a machine is when its package lists were never fetched.
    rm -rf "$root"/var/lib/apt/lists/*
    mkdir "$root$home/sealite"
    git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$root$home/sealite"
    inside chown -R "$who:" "$home/sealite"
}
# Whatever makes a service run, now or at the next start or login.
services() {
    (
        cd "$root"
        # Not every place is there.
        { find etc/init.d etc/rc?.d etc/systemd lib/systemd/system lib/systemd/user usr/lib/systemd/system usr/lib/systemd/user \
            usr/share/dbus-1 etc/dbus-1 etc/xdg/autostart etc/pam.d etc/cron* usr/sbin/policy-rc.d \
            \( -type f -o -type l \) -printf '%p %s %l\n' 2>/dev/null || true; } | sort -u
    )
}

take_turn() {
    who=$1 home=$(if [ "$1" = root ]; then echo /root; else echo "/home/$1"; fi)
    say "As $who: the system"
    prepare
    services >"$FRESH_WORK/services.before"
    ! inside /toolchain/usr/bin/swift --version >/dev/null 2>&1 || echo "(swift runs without any package: this shows less than it could)"

    say "As $who: what 'make demo' installs"
    try "make setup-demo"
    try "swift --version"
    for program in gdb strace nginx gnome-keyring-daemon dbus-daemon; do
        ! inside sh -c "command -v $program" >/dev/null || fail "$program came with the demo's packages"
    done
    say "As $who: a package of one line, built as the demo builds, and Sealite's own packages and libraries"
    flags=$(try "make -n demo-extension" | sed -n 's/^swift build \(.*\) --product.*/\1/p')
    try "mkdir /tmp/one && cd /tmp/one && swift package init --type executable --name one >/dev/null"
    try "cd /tmp/one && echo 'import Foundation; print(Date.now.formatted(.iso8601))' >\$(find Sources -name '*.swift')"
    try "cd /tmp/one && swift build $flags && .build/demo/release/one"
    try "cd /tmp && echo '#include <string>' >one.cc && clang++ -fsyntax-only one.cc"
    try "swift package resolve && pkg-config --exists libcrypto sqlite3 zlib libpcre2-8 libsecret-1 libedit && swift build --target SealiteCrypto"
    try "mkdir /tmp/data && python3 scripts/demo/records.py /tmp/data && wc -l /tmp/data/* && sqlite3 /usr/share/proj/proj.db .tables >/dev/null"
    if [ -n "${FRESH_DEMO:-}" ]; then
        say "As $who: make demo"
        if [ -d "$FRESH_DEMO" ]; then
            mkdir -p "$root$home/sealite/.build/demo/release"
            cp "$FRESH_DEMO"/{sealite,GRDBDump,PersonMigration,libsealitevfs.so} "$root$home/sealite/.build/demo/release"
            inside chown -R "$who:" "$home/sealite/.build/demo/release"
            timed "make demo SWIFT=true"
        else
            timed "make demo"
        fi
        say "As $who: README's console sessions"
        try "mkdir /tmp/readme && scripts/readme-sessions.py README.md .build/demo/release/sealite /tmp/readme"
    fi

    say "As $who: what 'make test' installs"
    try "make setup"
    try ".build/programs/usr/sbin/nginx -v && .build/programs/usr/bin/gnome-keyring-daemon --version && dbus-daemon --version | head -n 1"
    try "gdb --version | head -n 1; strace --version | head -n 1; secret-tool 2>&1 | head -n 1"
    again=$(try "make setup-demo setup" 2>&1)
    [ -z "$again" ] || fail "a second run isn't silent: $again"
    services >"$FRESH_WORK/services.after"
    # Configuration of a bus that a test starts is no service.
    grep -v '^usr/share/dbus-1/session.conf\|^etc/dbus-1/session.conf\|^usr/share/dbus-1/interfaces/' "$FRESH_WORK/services.after" |
        diff "$FRESH_WORK/services.before" - || fail "services of the machine came or changed"
    say "As $who: everything installed, no service changed"
    umount -R "$root/proc" "$root/dev" "$root/toolchain"
    for folder in ${FRESH_BIND:-}; do umount "$root$folder"; done
    rm -rf --one-file-system "$root"
}

case ${2:-both} in
root) take_turn root ;;
user) take_turn someone ;;
both) take_turn root; take_turn someone ;;
*) fail "root or user, not \"$2\"" ;;
esac
