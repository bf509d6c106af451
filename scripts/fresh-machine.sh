#!/bin/bash
# Tries what README asks for on a bare Debian: a chroot made by debootstrap, in which there are only a Swift toolchain, make and, for a
# user without root's rights, sudo. A turn runs README as printed, from top to bottom: its blocks "sh try" and "sh install", its console
# sessions with the installed tool, its Swift as a package of a stranger; then the ten tasks of a newcomer (fresh-machine/tasks.sh). It
# checks that no service of the machine came or changed, and that a second run of the setup has nothing to do. A second chroot has only
# the installed programs and the packages that Installing.md names for them, and runs the tasks too. At the end stands a table of times.
# Needs root, debootstrap, a network and 4 GiB in TMPDIR. Everything is in a mount namespace of its own and is removed at the end.
#
# Usage: fresh-machine.sh TOOLCHAIN [root|user] [12|13]
#   TOOLCHAIN            the folder in which a Swift toolchain was unpacked (it has usr/bin/swift)
#   root, user, 12, 13   only such turns; without these words four: as root and as a user with sudo, on Debian 12 and 13
# Environment:
#   FRESH_BUILT=DIR      build nothing: DIR has the programs (sealite, GRDBDump, PersonMigration, libsealitevfs.so)
#   FRESH_PROGRAM=no     leave out the package of a stranger, which compiles Sealite once more
#   FRESH_MIRROR=URL     a Debian mirror
#   FRESH_BASE=DIR       what debootstrap makes, as tar files: taken from there, or put there
#   FRESH_GITCONFIG=FILE becomes /etc/gitconfig, for machines that fetch Swift packages from a mirror
#   FRESH_BIND="DIR …"   shown read-only at the same place, for the same machines
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] && [ -x "$1/usr/bin/swift" ] || { sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 64; }
[ "$(id -u)" -eq 0 ] || { echo "fresh-machine: needs root, for debootstrap and chroot" >&2; exit 77; }
command -v debootstrap >/dev/null || { echo "fresh-machine: needs debootstrap: apt-get install debootstrap" >&2; exit 69; }
users="" releases=""
for word in "${@:2}"; do
    case $word in
    root) users+=" root" ;;
    user) users+=" someone" ;;
    12 | 13) releases+=" $word" ;;
    *) echo "fresh-machine: root, user, 12 or 13, not \"$word\"" >&2; exit 64 ;;
    esac
done
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
# The releases on which the installed programs ran without a toolchain.
tried_on=()
say() { printf '\n== %s\n' "$*"; }
fail() { echo "fresh-machine: $*" >&2; exit 1; }

log=$FRESH_WORK/log
# Runs a step whose output is of interest only where it fails.
quietly() { "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "failed: $*"; }; }

# A bare system, from a tar file where there is one.
make_base() {
    local name base=$FRESH_WORK/base-$1 saved=${FRESH_BASE:+$FRESH_BASE/debian-$1.tar}
    case $1 in 12) name=bookworm ;; *) name=trixie ;; esac
    [ ! -d "$base" ] || return 0
    say "A bare Debian $1"
    # Nothing here has to survive a power loss.
    mkdir -p "$base/etc/dpkg/dpkg.cfg.d"
    echo force-unsafe-io >"$base/etc/dpkg/dpkg.cfg.d/fresh-machine"
    if [ -e "$saved" ]; then
        quietly tar -C "$base" -xf "$saved"
    else
        quietly debootstrap --variant=minbase $name "$base" "$mirror"
        [ -z "$saved" ] || quietly tar -C "$base" -cf "$saved" .
    fi
    # As the installer leaves it: a bare system knows of updates.
    printf 'deb %s %s main\n' "$mirror" $name "$mirror" $name-updates >"$base/etc/apt/sources.list"
    cp /etc/resolv.conf "$base/etc/resolv.conf"
    [ -z "${FRESH_GITCONFIG:-}" ] || cp "$FRESH_GITCONFIG" "$base/etc/gitconfig"
    du -sh "$base" | cut -f 1
}
inside() { env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb chroot "$root" "$@"; }
# Runs a command in the package's folder, as the one who tries it.
try() {
    inside su - "$who" -c "export PATH=/toolchain/usr/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 ${FRESH_BUILT:+SWIFT=/built/swift}; cd $home/sealite && $1"
}
# timed NAME COMMAND: runs a command as `try` does, and notes how long it took and how much processor time, its children's included.
timed() {
    local status=0
    try "TIMEFORMAT='%R %U %S'; { time bash -e -c $(printf %q "$2") 2>&1; } 2>/tmp/time" || status=$?
    [ "$status" -eq 0 ] || fail "as $who on Debian $debian: $1 ended with $status"
    awk -v turn="Debian $debian, $who" -v name="$1" '
        function clock(seconds) { return sprintf("%d:%02d", seconds / 60, seconds % 60) }
        END { printf "%-20s %-42s %8s elapsed %8s processor\n", turn, name, clock($1), clock($2 + $3) }' "$root/tmp/time" |
        tee -a "$FRESH_WORK/times"
}
show_read_only() {
    mkdir -p "$root$2"
    mount --bind "$1" "$root$2"
    mount -o remount,bind,ro "$root$2"
}
prepare() {
    make_base "$debian"
    cp -a "$FRESH_WORK/base-$debian" "$root"
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
    if [ -n "${FRESH_BUILT:-}" ]; then
        mkdir -p "$root$home/sealite/.build/release"
        cp "$FRESH_BUILT"/{sealite,GRDBDump,PersonMigration,libsealitevfs.so} "$root$home/sealite/.build/release"
        mkdir "$root/built"
        printf '#!/bin/sh\n[ "$1" = build ] || exec swift "$@"\n' >"$root/built/swift"
        chmod +x "$root/built/swift"
    fi
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
# README's blocks of shell commands, in their order: a line of the kind (try, install, other), then the lines of the block
# after a tab each.
blocks() {
    awk '/^```sh / { inside = 1; print $2; next } /^```/ { inside = 0 } inside { print "\t" $0 }' README.md
}
# Runs a block of README, or looks whether the targets are there that it names.
run_block() {
    local kind=$1 text=$2
    printf '%s\n' "$text"
    case $kind in
    try | install)
        # Root has no sudo, and needs none.
        [ "$who" != root ] || text="sudo() { \"\$@\"; }; $text"
        timed "README, $kind: $(printf %s "$2" | head -n 1 | cut -c 1-40)" "$text"
        ;;
    other)
        for target in $(printf '%s\n' "$text" | sed 's/#.*//' | grep -o 'make [a-z-]*' | cut -d ' ' -f 2); do
            try "make -n $target >/dev/null" || fail "README names make $target, which doesn't work"
        done
        ;;
    *) fail "README has a block \"sh $kind\", of which this script doesn't know" ;;
    esac
}

# The packages that Installing.md names for the installed programs, in the column of this Debian.
runtime_packages() {
    awk -F '|' -v column=$((debian - 10)) '
        /^\| Debian 12 / { inside = 1; next }
        inside && /^\| `/ { names = $column ~ /the same/ ? $2 : $column; gsub(/[`,]/, "", names); print names }
        inside && !/^\|/ { exit }' Documentation/Installing.md
}
# The programs as they were installed, on a machine that has nothing of the build.
try_elsewhere() {
    local first=$root elsewhere=$FRESH_WORK/elsewhere packages
    packages=$(runtime_packages)
    say "Debian $debian, without a toolchain: the installed programs, and" $packages
    cp -a "$FRESH_WORK/base-$debian" "$elsewhere"
    cp -a "$first/usr/local/." "$elsewhere/usr/local/"
    mkdir -p "$elsewhere/project/scripts/demo"
    cp -a scripts/fresh-machine "$elsewhere/project/scripts/"
    cp scripts/demo/show.sh "$elsewhere/project/scripts/demo/"
    mount -t proc proc "$elsewhere/proc"
    mount --rbind "$first/dev" "$elsewhere/dev"
    root=$elsewhere
    quietly inside apt-get update
    # shellcheck disable=SC2086 # a list of words
    quietly inside apt-get install -y --no-install-recommends $packages
    ! inside ldd /usr/local/bin/sealite /usr/local/lib/libsealitevfs.so | grep 'not found' ||
        fail "Installing.md lacks packages of the installed programs"
    inside /usr/local/bin/sealite --version
    # For the task in Python.
    quietly inside apt-get install -y --no-install-recommends python3
    inside env PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 /project/scripts/fresh-machine/tasks.sh | tail -n 1
    root=$first
    umount -R "$elsewhere/proc" "$elsewhere/dev"
    rm -rf --one-file-system "$elsewhere"
}

take_turn() {
    debian=$1 who=$2 home=$(if [ "$2" = root ]; then echo /root; else echo "/home/$2"; fi)
    prepare
    services >"$FRESH_WORK/services.before"
    ! inside /toolchain/usr/bin/swift --version >/dev/null 2>&1 || echo "(swift runs without any package: this shows less than it could)"

    say "Debian $debian, as $who: README, from top to bottom"
    local kind="" text="" line done=""
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        $'\t'*) text+=${line#$'\t'}$'\n' ;;
        *)
            [ -z "$kind" ] || run_block "$kind" "$text"
            kind=$line text="" done+=" $line"
            ;;
        esac
    done < <(blocks; echo)
    case $done in *" try"*" install"*) ;; *) fail "README has no blocks \"sh try\" and \"sh install\", in this order" ;; esac
    [ "$(try 'command -v sealite')" = /usr/local/bin/sealite ] || fail "no sealite in /usr/local/bin"
    for program in gdb strace nginx gnome-keyring-daemon dbus-daemon; do
        ! inside sh -c "command -v $program" >/dev/null || fail "$program came with the packages of the demo or for installing"
    done
    services >"$FRESH_WORK/services.after"
    diff "$FRESH_WORK/services.before" "$FRESH_WORK/services.after" || fail "services of the machine came or changed"
    timed "README, console sessions" "mkdir /tmp/readme && scripts/readme-sessions.py README.md /usr/local/bin/sealite /tmp/readme"
    if [ "${FRESH_PROGRAM:-yes}" = yes ] && [ -z "${FRESH_BUILT:-}" ]; then
        timed "README, the Swift, as a package of one's own" "scripts/soak.d/70-readme-package.sh >/tmp/package.log 2>&1 || { tail -n 40 /tmp/package.log; exit 1; }
            cd /tmp/readme && $home/sealite/.build/readme-package/Notes/.build/debug/Notes"
    fi

    say "Debian $debian, as $who: what 'make test' installs"
    try "make setup-test"
    try ".build/programs/usr/sbin/nginx -v && .build/programs/usr/bin/gnome-keyring-daemon --version && dbus-daemon --version | head -n 1"
    try "gdb --version | head -n 1; strace --version | head -n 1; secret-tool 2>&1 | head -n 1"
    again=$(try "make setup setup-demo setup-test" 2>&1)
    [ -z "$again" ] || fail "a second run isn't silent: $again"
    services >"$FRESH_WORK/services.after"
    # Configuration of a bus that a test starts is no service; procps, which a dependency of gdb needs on Debian 13, is on every Debian
    # that an installer made.
    grep -v -e '^usr/share/dbus-1/session.conf' -e '^etc/dbus-1/session.conf' -e '^usr/share/dbus-1/interfaces/' \
        -e '^etc/init.d/procps ' -e '^etc/rc..d/S01procps ' "$FRESH_WORK/services.after" |
        diff "$FRESH_WORK/services.before" - || fail "services of the machine came or changed"

    say "Debian $debian, as $who: the ten tasks of a newcomer, with the installed tool"
    timed "ten tasks, with a mistake each" "scripts/fresh-machine/tasks.sh"
    [ -n "${tried_on[$debian]:-}" ] || try_elsewhere
    tried_on[$debian]=yes
    say "Debian $debian, as $who: everything installed, no service changed"
    umount -R "$root/proc" "$root/dev" "$root/toolchain"
    for folder in ${FRESH_BIND:-}; do umount "$root$folder"; done
    rm -rf --one-file-system "$root"
}

for debian in ${releases:-12 13}; do
    for who in ${users:-root someone}; do take_turn "$debian" "$who"; done
done
say "Times, in minutes and seconds"
cat "$FRESH_WORK/times"
