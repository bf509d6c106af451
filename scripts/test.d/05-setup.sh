#!/bin/sh
# What scripts/setup.sh asks apt for, with stand-ins for dpkg-query, apt and sudo that note how they are called: nothing where nothing is
# missing, three sets of packages of which each contains the one before, Debian 13's names on Debian 13, and no package or command that
# changes a service.
# scripts/fresh-machine.sh tries the real thing in a bare Debian.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "setup check: $1" >&2; cat "$work/calls" >&2; exit 1; }

mkdir "$work/bin"
stand_in() { printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"; chmod +x "$work/bin/$1"; }
stand_in sudo 'echo "sudo $*" >>"$CALLS"; exec "$@"'
stand_in id 'echo 1000'
stand_in apt-cache 'echo "Package: $3"'
stand_in swift ''
for command in systemctl deb-systemd-helper update-rc.d invoke-rc.d service; do stand_in $command 'echo "$0 $*" >>"$CALLS"'; done
stand_in apt-get 'echo "apt-get $*" >>"$CALLS"; echo "progress of apt"; ! [ -e "$CALLS.old" ] || { rm "$CALLS.old"; exit 100; }'
export CALLS="$work/calls" SETUP_OS_RELEASE="$work/os-release"
on_debian() { printf 'ID=debian\nVERSION_ID="%s"\n' "$1" >"$SETUP_OS_RELEASE"; }
# Runs the script with stand-ins; the first word says what dpkg-query answers.
setup() {
    stand_in dpkg-query "$1"
    shift
    : >"$CALLS"
    PATH="$work/bin:$PATH" scripts/setup.sh "$@" >"$work/said" 2>&1 || fail "exit code $?: $(cat "$work/said")"
}
# Of another architecture too.
everything='printf " installed  installed "'
nothing='echo "dpkg-query: no packages found" >&2; exit 1'
of_tests='gdb|strace|nginx|gnome-keyring|dbus|secret-tool|venv'
of_demo='sqlite3|openssl|proj-data|iso-codes'

on_debian 12
for set in --install --demo; do
    setup "$everything" $set
    [ ! -s "$CALLS" ] && [ ! -s "$work/said" ] || fail "$set does something where nothing is missing: $(cat "$work/said")"
done

setup "$nothing" --install
for package in libncurses6 libcurl4 libstdc++-12-dev git libssl-dev libedit-dev python3; do
    grep -q "^apt-get install.* $package\( \|\$\)" "$CALLS" || fail "the set to install lacks $package"
done
! grep -Eq "$of_tests| ($of_demo)( |\$)" "$CALLS" || fail "the set to install has packages of the demo or the tests"

setup "$nothing" --demo
grep -q '^sudo env DEBIAN_FRONTEND=noninteractive apt-get install' "$CALLS" || fail "doesn't install as root"
for package in libncurses6 libcurl4 libstdc++-12-dev git libssl-dev proj-data; do
    grep -q "^apt-get install.* $package\( \|\$\)" "$CALLS" || fail "the demo's set lacks $package"
    grep -q ": .*$package" "$work/said" || fail "doesn't say why it installs $package"
done
! grep -Eq "$of_tests" "$CALLS" || fail "the demo's set has packages of the tests"
grep -q 'progress of apt' "$work/said" || fail "hides what apt says"
[ "$(grep -c '^apt-get' "$CALLS")" -eq 1 ] || fail "asks apt more than once"

# The names of Debian 13, where libcurl4 is only another name for a package, and never installed.
on_debian 13
setup "$nothing" --install
for package in libcurl4t64 libgcc-14-dev libstdc++-14-dev; do
    grep -q "^apt-get install.* $package\( \|\$\)" "$CALLS" || fail "on Debian 13, the set lacks $package"
done
! grep -Eq ' libcurl4( |$)|-12-dev' "$CALLS" || fail "asks Debian 13 for names of Debian 12"
on_debian 12

setup "$nothing" --packages
grep -q ' debhelper\( \|$\)' "$CALLS" && ! grep -Eq " ($of_demo|$of_tests)" "$CALLS" || fail "--packages isn't what making packages needs"

setup "$nothing" --docs
grep -q ' python3-markdown-it\( \|$\)' "$CALLS" && ! grep -Eq " debhelper | ($of_demo|$of_tests)" "$CALLS" || fail "--docs isn't what the site needs"

# Package lists that are old are fetched anew.
touch "$CALLS.old"
setup "$nothing" --demo
[ "$(grep '^apt-get' "$CALLS" | cut -d' ' -f 2 | tr '\n' ' ')" = "install update install " ] || fail "doesn't fetch old lists anew"

setup "$nothing" --list
for package in gdb strace nginx gnome-keyring libcurl4 iso-codes; do
    grep -q "$package" "$work/said" || fail "the tests' set lacks $package"
done
[ ! -s "$CALLS" ] || fail "--list does something"
cp "$work/said" "$work/all"
setup "$nothing" --test --list
cmp -s "$work/all" "$work/said" || fail "--test isn't the set that is taken without an option"
# Their packages bring services: only a program of each is unpacked.
! grep -v unpacked "$work/said" | grep -Eq ' (nginx|nginx-light|gnome-keyring|dbus)( |$)' ||
    fail "installs a package that brings a service"
! grep -Ev '^ *#' scripts/setup.sh | grep -Eq 'systemctl|systemd|policy-rc|update-rc' || fail "touches services"
echo "setup: asks for what is missing, and for nothing else"
