#!/bin/sh
# Installs the Debian packages that building, testing and the demo need, and those that are named, and only what is missing.
# Usage: setup.sh [PACKAGE…]
set -eu

packages="libssl-dev libsqlite3-dev zlib1g-dev libsecret-1-dev pkg-config sqlite3 python3 python3-venv proj-data iso-codes
    binutils strace gcc gdb openssl dbus gnome-keyring libsecret-tools python3-dbus python3-gi
    python3-cryptography"
# A test's TLS front. Whichever nginx is there will do.
[ -x /usr/sbin/nginx ] || packages="$packages nginx-light"
packages="$packages $*"

command -v swift >/dev/null || {
    echo "setup: no 'swift' on the PATH: install Swift 6.3 from https://swift.org/install/linux" >&2
    exit 69
}
missing=""
for package in $packages; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "setup: installing$missing"
run=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup: neither root nor sudo; as root: apt-get install$missing" >&2
        exit 69
    }
    run=sudo
fi
case "$missing" in
*nginx*)
    echo "setup: nginx is there for a test only: its service is masked ('systemctl unmask nginx' takes that back)"
    $run mkdir -p /etc/systemd/system
    $run ln -sf /dev/null /etc/systemd/system/nginx.service
    ;;
esac
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of words
$run apt-get install -y -q --no-install-recommends $missing >/dev/null 2>&1 || {
    $run apt-get update -q
    $run apt-get install -y -q --no-install-recommends $missing
}
