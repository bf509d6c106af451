# For scripts that try something in chroots of Debian 12 and 13, which source it in bash, and then set debian to 12 or 13.
#
# Environment:
#   FRESH_MIRROR  a Debian mirror; without it, that of this system's own sources
#   FRESH_BASE    what debootstrap makes, as tar files debian-12.tar and debian-13.tar: taken from there, or put there

# needs_root NAME: ends the script, whose name its messages have, where it can't run.
needs_root() {
    name=$1 debian=
    [ "$(id -u)" -eq 0 ] || { echo "$name: NOT TRIED: needs root, for debootstrap and chroot"; exit 0; }
}
# Runs the script again in a mount namespace of its own, with CHROOT_WORK set, the folder for everything; removes that at the end.
in_namespace() {
    # Outside of the namespace: its mounts are gone when this removes the files.
    CHROOT_WORK=$(mktemp -d)
    export CHROOT_WORK
    unshare --mount --pid --fork --kill-child --mount-proc --propagation private "$0" "$@" &
    inner=$!
    # unshare ignores SIGTERM; its child ends with it.
    trap 'kill -KILL "$inner" 2>/dev/null && wait "$inner" || true; rm -rf --one-file-system "$CHROOT_WORK"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    wait "$inner"
    exit
}
work=${CHROOT_WORK:-}
log=$work/log
say() { printf '%s: %s\n' "$name" "${debian:+Debian $debian: }$*"; }
fail() { say "$*" >&2; exit 1; }
# Runs a step whose output is of interest only where it fails.
quietly() { "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "failed: $*"; }; }
# expect TEXT COMMAND...: the command must fail, and say the text.
expect() {
    local text=$1
    shift
    ! "$@" >"$log" 2>&1 || { cat "$log" >&2; fail "didn't fail: $*"; }
    grep -qF -- "$text" "$log" || { cat "$log" >&2; fail "doesn't say \"$text\": $*"; }
}
# says PATTERN COMMAND...: whether the output of a command has the pattern. All of it is read.
says() {
    local pattern=$1
    shift
    "$@" >"$log" 2>&1 || true
    grep -qi -- "$pattern" "$log"
}

# Makes a bare system, and sets root.
make_root() {
    local code saved=${FRESH_BASE:+$FRESH_BASE/debian-$debian.tar} mirror=${FRESH_MIRROR:-}
    [ -n "$mirror" ] ||
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Component: main' 'Identifier: Packages' | grep -v security | head -n 1)
    [ -n "$mirror" ] || fail "this system's sources name no mirror of Debian: FRESH_MIRROR=URL names one"
    case $debian in 12) code=bookworm ;; *) code=trixie ;; esac
    root=$work/root-$debian
    mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
    # Nothing here has to survive a power loss.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/chroot"
    if [ -e "$saved" ]; then
        quietly tar -C "$root" -xf "$saved"
    else
        quietly debootstrap --variant=minbase $code "$root" "$mirror"
        [ -z "$saved" ] || quietly tar -C "$root" -cf "$saved" .
    fi
    rm -rf "$root"/etc/apt/sources.list.d/*
    printf 'deb %s %s main\n' "$mirror" $code "$mirror" $code-updates >"$root/etc/apt/sources.list"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
}
environment=(env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
# Runs a command in it, with the network of this machine; systemd doesn't run.
in_chroot() {
    "${environment[@]}" unshare --mount --propagation private bash -ec '
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        exec chroot "$0" "$@"' "$root" "$@"
}
get() { quietly in_chroot apt-get install -y "$@"; }
