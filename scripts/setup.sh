#!/bin/sh
# Installs the Debian packages that are missing: for the Swift toolchain and the build, with the demo's for --demo, with those and the
# tests' for --test, those of `make deb` for --packages, of `make docs` for --docs, and those that are named. It says which and why, and lets apt show its progress.
#
# No service of the machine is installed or changed. The tests start a bus, a keyring and a TLS front of their own: the
# dbus-daemon package has the bus without the system's service, and of nginx and gnome-keyring, whose packages bring services,
# only the program is unpacked, into .build/programs.
#
# Usage: setup.sh [--install|--demo|--test|--packages|--docs] [--list] [PACKAGE…]
#   --install  what `make build` and `make install` need
#   --demo     what `make demo` needs too
#   --test     what the tests, the soak and the benchmarks need too; this is the default
#   --packages  what `make build` and `make deb` need
#   --docs     what `make docs` needs
#   --list     say what is needed and why, and install nothing
# Exit code: 69 where something is missing that this script can't install.
set -eu
cd "$(dirname "$0")/.."
programs=.build/programs

set_of=test list=
while [ $# -gt 0 ]; do
    case $1 in
    --install | --demo | --test | --packages | --docs) set_of=${1#--} ;;
    --list) list=yes ;;
    -*) echo "setup: no option \"$1\": setup.sh [--install|--demo|--test|--packages|--docs] [--list] [PACKAGE…]" >&2; exit 64 ;;
    *) break ;;
    esac
    shift
done

missing="" unpacked="" reasons=""
newline='
'
say() { reasons="$reasons${newline}  $1: $2"; }

# Why, and packages.
want() {
    why=$1 lacking=""
    shift
    for package in "$@"; do
        # A word for each architecture.
        state=$(dpkg-query -W -f=' ${db:Status-Status} ' "$package" 2>/dev/null) || state=""
        case $list$state in *" installed "*) [ -n "$list" ] || continue ;; esac
        lacking="$lacking $package"
    done
    [ -n "$lacking" ] || return 0
    missing="$missing$lacking"
    say "$why" "${lacking# }"
}
# Why, a package, and the one program of it that is needed.
want_program() {
    if [ -z "$list" ] && { [ -x "/$3" ] || [ -x "$programs/$3" ]; }; then return 0; fi
    unpacked="$unpacked $2:$3"
    say "$1" "$2 (unpacked into $programs)"
}
fail() { echo "setup: $1" >&2; exit 69; }

# Debian 12 has other names than Debian 13 and what comes after it.
release=$(sed -n 's/^VERSION_ID="\{0,1\}\([0-9]*\).*/\1/p' "${SETUP_OS_RELEASE:-/etc/os-release}")
case $release in
12) curl=libcurl4 gcc=12 zones= ;;
*) curl=libcurl4t64 gcc=14 zones=tzdata-legacy ;;
esac

want "run the Swift toolchain's programs" libncurses6 $curl libxml2 libsqlite3-0 tzdata
want "compile and link" libc6-dev libgcc-$gcc-dev libstdc++-$gcc-dev binutils pkg-config
want "fetch the Swift packages that Sealite uses" git ca-certificates
want "libraries that Sealite stands on" libssl-dev libsqlite3-dev zlib1g-dev libpcre2-dev libstemmer-dev libsecret-1-dev
want "editing lines at the tool's prompt" libedit-dev
want "cut ICU's tables, and write the manual pages" python3
if [ "$set_of" = packages ]; then
    want "make Debian packages" debhelper
elif [ "$set_of" = demo ] || [ "$set_of" = test ]; then
    want "the demo's programs and public data" sqlite3 openssl proj-data iso-codes
fi
if [ "$set_of" = docs ] || [ "$set_of" = test ]; then
    want "the documents as pages of a site" python3-markdown-it
fi
if [ "$set_of" = test ]; then
    want "tests: cores of processes, and system calls that fail" gdb strace
    # shellcheck disable=SC2086 # none on Debian 12
    [ -z "$zones" ] || want "tests: the older names of time zones" $zones
    want "tests: a session bus of their own, and others' clients and providers on it" \
        dbus-daemon libsecret-tools python3-dbus python3-gi
    want "tests: certificates, and an independent reader of the file format" python3-cryptography
    want "tests and benchmarks: Python packages in folders of their own" python3-venv
    want "tests: libraries of the programs below" libcrypt1 libpcre2-8-0 libgck-1-0 libgcr-base-3-1
    want_program "tests: a keyring" gnome-keyring usr/bin/gnome-keyring-daemon
    want_program "tests: a TLS front" nginx usr/sbin/nginx
fi
[ $# -eq 0 ] || want "asked for" "$@"

if [ -n "$list" ]; then
    echo "setup: needed on Debian ${release:-13}, besides Swift 6.3:$reasons"
    exit 0
fi
command -v apt-get >/dev/null ||
    fail "this isn't Debian: install what 'scripts/setup.sh --list' names, under the names that your system has for it"
command -v swift >/dev/null || fail "no 'swift' on the PATH: install Swift 6.3 from https://swift.org/install/linux"

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        command -v sudo >/dev/null || fail "neither root nor sudo. As root: apt-get install$missing"
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}
# Whether apt's lists name all of them.
are_listed() {
    for package in "$@"; do [ -n "$(apt-cache show --no-all-versions "${package%%:*}" 2>/dev/null)" ] || return 1; done
}
# As whoever runs this: nothing here needs root.
unpack() {
    mkdir -p "$programs"
    for entry in $unpacked; do
        (
            cd "$programs" && rm -f "${entry%%:*}"_*.deb &&
                apt-get -o APT::Sandbox::User=root download "${entry%%:*}" &&
                dpkg-deb --fsys-tarfile "${entry%%:*}"_*.deb | tar -x "./${entry#*:}" && rm "${entry%%:*}"_*.deb
        ) || return 1
    done
}
# shellcheck disable=SC2086 # lists of words
get() {
    [ -z "$missing" ] || as_root apt-get install -y --no-install-recommends $missing || return 1
    [ -z "$unpacked" ] || unpack
}

if [ -n "$missing$unpacked" ]; then
    echo "setup: getting what is missing, from Debian; no service is installed or changed:$reasons"
    # shellcheck disable=SC2086 # lists of words
    are_listed $missing $unpacked || as_root apt-get update
    # Lists that are old name packages that are gone.
    get || { as_root apt-get update && get; } || fail "apt could not install what is missing: see above"
fi

# A toolchain for another system may need libraries of which this script doesn't know.
swift=$(dirname "$(readlink -f "$(command -v swift)")")
for program in "$swift/swift-driver" "$swift/swift-build" "$swift/swift-frontend"; do
    [ -x "$program" ] || continue
    absent=$(ldd "$program" 2>/dev/null | sed -n 's/[[:space:]]*\(.*\) => not found/\1/p' | sort -u | tr '\n' ' ')
    [ -z "$absent" ] ||
        fail "$program needs ${absent}which this system doesn't have: use the Swift toolchain for Debian 12"
done
