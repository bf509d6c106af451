#!/bin/bash
# Makes the Debian packages twice, to the same bytes, and tries them in chroots of Debian 12 and 13, in which systemd runs as process 1 of
# namespaces of their own: installing, README's sessions, the ten tasks of a newcomer, the extension, manual and completions; the
# instance of Documentation/Packages.md, served, watched, backed up, rotated, and synced with; upgrade and downgrade while it runs and while a
# rotation is interrupted; what is missing is named; removing and purging leave the data; a backup is restored on the other Debian.
#
# Usage: 62-packages.sh [BIN [12|13]...]
#   BIN  the folder with the built programs; without it they are built
# Environment: that of scripts/debian-chroot.sh. Needs root, debootstrap, lintian, debhelper, a network and 4 GiB in TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/debian-chroot.sh
needs_root packages
if [ -z "${CHROOT_WORK:-}" ]; then
    scripts/setup.sh --packages debootstrap lintian
    [ $# -gt 0 ] || make --no-print-directory build
    in_namespace "$@"
fi
bin=${1:-.build/release}
[ $# -eq 0 ] || shift
debians=${*:-12 13}

# MARK: The packages

quietly scripts/make-deb.sh "$bin" "$work/new"
quietly scripts/make-deb.sh "$bin" "$work/again"
for package in "$work"/new/*.deb; do cmp "$package" "$work/again/${package##*/}" || fail "${package##*/} isn't reproducible"; done
rm -rf "$work/again"
lintian --allow-root --fail-on error "$work"/new/*.deb >"$log" 2>&1 || { cat "$log" >&2; fail "lintian has errors"; }
version=$(dpkg-deb -f "$work"/new/sealite_*.deb Version)
say "$(cd "$work/new" && stat -c '%n %s bytes,' ./*.deb | sed 's|^\./||' | tr '\n' ' ')equal when made twice; lintian: $(grep -c '^W:' "$log" || true) warnings, no error"
# A full disk.
mkdir "$work/small"
mount -t tmpfs -o size=64m tmpfs "$work/small"
expect "MiB free, and the packages need" scripts/make-deb.sh "$bin" "$work/small"
umount "$work/small"
# One that another program fills meanwhile.
mount -t tmpfs -o size=400m tmpfs "$work/small"
(
    until [ -e "$(echo "$work"/small/*/debian/rules)" ]; do sleep 0.1; done
    dd if=/dev/zero of="$work/small/other" bs=1M status=none 2>/dev/null
) &
expect "is full" scripts/make-deb.sh "$bin" "$work/small"
wait
umount "$work/small"
# The same programs as an older version.
mkdir "$work/old" "$work/unpacked"
for package in "$work"/new/{sealite,libsealitevfs}_*.deb; do
    rm -rf "$work/unpacked"
    dpkg-deb -R "$package" "$work/unpacked"
    sed -i 's/^Version: .*/Version: 0.0.9-1/' "$work/unpacked/DEBIAN/control"
    quietly dpkg-deb -Znone -b "$work/unpacked" "$work/old"
done
rm -rf "$work/unpacked"

# MARK: A system

make_system() {
    make_root
    mkdir "$root/packages"
    cp -r "$work/new" "$work/old" "$root/packages/"
    mkdir -p "$root/project/Documentation"
    cp -r --parents README.md Documentation/Extension.md Documentation/Packages.md scripts "$root/project/"
}
# files new|old PACKAGE...: the paths, inside, of packages.
files() {
    local package
    for package in "${@:2}"; do (cd "$root" && printf '/%s\n' packages/"$1/$package"_*.deb); done
}
# systemd as process 1 of namespaces of its own. It can change no setting of the kernel that isn't the namespaces' own.
boot() {
    rm -f "$work/booted"
    unshare --mount --pid --fork --kill-child --cgroup --uts --ipc --net --propagation private bash -ec '
        root=$1
        mount --bind "$root" "$root"
        cd "$root"
        mount -t proc proc proc
        mount --bind proc/sys proc/sys
        mount -o remount,bind,ro proc/sys
        mount -t sysfs -o ro sysfs sys
        mount -t cgroup2 cgroup2 sys/fs/cgroup
        mount -t tmpfs -o mode=755 tmpfs run
        mount -t tmpfs -o mode=755 tmpfs dev
        mkdir dev/shm dev/pts
        mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts
        ln -s pts/ptmx dev/ptmx
        for device in null zero full random urandom tty; do touch dev/$device; mount --bind /dev/$device dev/$device; done
        touch dev/console
        ln -s /proc/self/fd dev/fd
        for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%:*}" "dev/${number#*:}"; done
        touch "$2"
        pivot_root . mnt
        umount -l /mnt
        # As container managers do: the credentials of units are mounts that propagate.
        mount --make-rshared /
        exec env -i container=packages PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --show-status=false --unit=multi-user.target
        ' boot "$root" "$work/booted" >"$work/boot.log" 2>&1 &
    starter=$!
    until [ -e "$work/booted" ]; do kill -0 "$starter" 2>/dev/null || { cat "$work/boot.log" >&2; fail "no namespaces for systemd"; }; sleep 0.1; done
    system=$(pgrep -P "$starter")
    until [ "$(readlink "/proc/$system/exe" 2>/dev/null)" != "$(readlink /proc/$$/exe)" ] && inside systemctl is-system-running --wait >"$log" 2>&1; do
        kill -0 "$starter" 2>/dev/null || { cat "$work/boot.log" >&2; fail "systemd didn't start"; }
        ! grep -q degraded "$log" || { inside systemctl --failed --no-pager >&2; fail "systemd started, but units failed"; }
        sleep 0.2
    done
}
inside() { nsenter -t "$system" -a "${environment[@]}" "$@"; }
halt() {
    kill -KILL "$starter"
    wait "$starter" 2>/dev/null || true
}
# The newest lines of a unit in the journal.
newest() { inside journalctl --no-pager -o cat -u "$1" | tail -n 6; }
process() { inside systemctl show -P MainPID "sealite-serve@$1"; }
# Waits for a command; for a minute at most.
until_true() {
    local count=0
    until "$@" >"$log" 2>&1; do
        count=$((count + 1))
        [ "$count" -lt 300 ] || { cat "$log" >&2; fail "didn't come true: $*"; }
        sleep 0.2
    done
}
# In a folder of the client.
client() { inside sh -c 'cd /client && exec sealite "$@"' sh "$@"; }
# A sync of the client: what it did.
synced() {
    until_true sh -c "nsenter -t $system -a journalctl --no-pager -o cat -u sealite-serve@notes _PID=$(process notes) | grep -q '^pin '"
    local pin
    pin=$(inside journalctl --no-pager -o cat _PID="$(process notes)" | awk '$1 == "pin" { print $2 }' | tail -n 1)
    client sync copy.db wss://127.0.0.1:4984/notes --pin "$pin" -k copy.key --vault-passphrase-file vault.passphrase "$@"
}

# MARK: What is tried

try_without_systemd() {
    quietly in_chroot apt-get update
    # As Packages.md has it, by a user with sudo.
    get --no-install-recommends sudo
    quietly in_chroot useradd --create-home someone
    echo 'someone ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/someone"
    grep -qF 'sudo apt install ./sealite_*.deb ./libsealitevfs_*.deb' Documentation/Packages.md || fail "Packages.md installs otherwise"
    quietly in_chroot su - someone -c 'cd /packages/new && sudo apt install -y --no-install-recommends ./sealite_*.deb ./libsealitevfs_*.deb'
    quietly in_chroot su - someone -c 'sealite keygen -q -o notes.key && sealite create -q notes.db -k notes.key && sealite info notes.db -k notes.key'
    quietly in_chroot userdel --remove someone
    in_chroot sealite --version | sed 's/^/    /'
    says '^Sealite ' in_chroot sealite --version || fail "sealite doesn't say its version"
    in_chroot sealite credential status >"$log" 2>&1 && fail "a store where there is none"
    grep -q 'libsecret-1-0' "$log" || fail "doesn't name the package of libsecret"
    # Without /proc.
    expect "/proc isn't mounted" "${environment[@]}" chroot "$root" /usr/bin/sealite --version
    ! find "$root/etc/systemd/system" -name 'sealite*' | grep . || fail "installing enabled a unit"
    quietly in_chroot apt-get purge -y sealite libsealitevfs
    ! find "$root" -xdev -path "$root/packages" -prune -o -path "$root/project" -prune -o \( -name '*sealite*' ! -path '*/dpkg/*' ! -path '*/apt/*' ! -path '*/log/*' \) -print | grep . ||
        fail "purging left something"
}
try_tool() {
    get man-db python3 sqlite3 bash-completion zsh fish systemd dbus gcc libc6-dev libsqlite3-dev pkg-config procps
    # The older one first; with what is recommended.
    get $(files old sealite libsealitevfs)
    in_chroot ldd /usr/bin/sealite "/usr/lib/$(uname -m)-linux-gnu/libsealitevfs.so" >"$log"
    ! grep 'not found' "$log" || fail "a library is missing"
    in_chroot sh -c 'mkdir /tmp/readme && cd /project && scripts/readme-sessions.py README.md /usr/bin/sealite /tmp/readme' >"$log" 2>&1 || { cat "$log" >&2; fail "README's sessions"; }
    in_chroot sh -c 'mkdir /tmp/bin && ln -s /usr/bin/sealite /tmp/bin && cd /project && scripts/fresh-machine/tasks.sh /tmp/bin "/usr/lib/$(uname -m)-linux-gnu/libsealitevfs.so"' >"$log" 2>&1 ||
        { tail -n 30 "$log" >&2; fail "the tasks of a newcomer"; }
    say "README's sessions run; $(tail -n 1 "$log")"
    # By its name alone, in the shell, in Python and in the C of Extension.md.
    says '^Sealite ' in_chroot sqlite3 :memory: '.load libsealitevfs' 'SELECT sealite_version()' || fail "the shell doesn't load the extension by its name"
    in_chroot sh -ec 'cd /tmp && sealite keygen -q -o notes.key && sealite create -q notes.db -k notes.key && sealite sql notes.db -k notes.key "CREATE TABLE note(text)"
        sed -n "/^\`\`\`c\$/,/^\`\`\`\$/p" /project/Documentation/Extension.md | sed "/^\`\`\`/d; s|\"/usr/local/lib/libsealitevfs\"|SEALITEVFS_LIBRARY|; s|#include <sqlite3.h>|#include <sealitevfs.h>|" >notes.c
        grep -q SEALITEVFS_LIBRARY notes.c
        cc -Wall -Werror notes.c $(pkg-config --cflags --libs sealitevfs) -o notes && ./notes
        [ -e "$(pkg-config --variable=extension sealitevfs)" ]' >"$log" 2>&1 || { cat "$log" >&2; fail "the program in C"; }
    grep -qx '0 notes' "$log" || fail "the program in C prints something else"
    # Macros of the header name functions that there are.
    in_chroot sh -ec 'for name in $(sed -n "s/^#define SEALITEVFS_[A-Z_]* \"\(sealite_[a-z_]*\)\".*/\1/p" /usr/include/sealitevfs.h); do
        [ "$(sqlite3 :memory: ".load libsealitevfs" "SELECT count(*) > 0 FROM pragma_function_list WHERE name = '"'\$name'"'")" = 1 ] || { echo "$name"; exit 1; }; done' >"$log" 2>&1 || { cat "$log" >&2; fail "the header names another function"; }
    for page in sealite sealite-key-rotate sealite-instance; do
        says NAME in_chroot man "$page" || fail "no manual page $page"
    done
    in_chroot bash -ic '. /usr/share/bash-completion/bash_completion; _completion_loader sealite 2>/dev/null || __load_completion sealite; complete -p sealite' >"$log" 2>&1 || { cat "$log" >&2; fail "bash completes nothing"; }
    says '^_sealite$' in_chroot zsh -c 'autoload -U compinit && compinit -u -D && print ${_comps[sealite]}' || fail "zsh completes nothing"
    says '^rotate' in_chroot fish -c 'complete -C "sealite key rot"' || fail "fish completes nothing"
    say "the extension in the shell and in C, the manual, and completions of three shells work"
}
make_instance() {
    local text id fingerprint
    mkdir -p "$root/client"
    text=$(scripts/readme-blocks.py Documentation/Packages.md instance)
    # Where a person looks at a terminal and answers it.
    text=${text//--recovery-key/--recovery-key-file notes.recovery}
    text=${text/--user ana
echo/--user ana --password-fd 0 </client/ana.password
echo}
    # As the page says what takes the place of what.
    text=$(awk '/set sealite-serve:ID/ { print "sealite-instance notes info notes.db >/client/info" } { print }' <<<"$text")
    text=${text/ID --user/\$(sed -n \"s/^serve id *//p\" /client/info) --user}
    text=${text/\'ROTATE_OPTIONS=--keep-recovery FINGERPRINT\'/\"ROTATE_OPTIONS=--keep-recovery \$(sed -n \'s/.*fingerprint //p\' /client/info)\"}
    text=${text/journalctl/journalctl --no-pager}
    inside sh -c 'umask 077; printf "open sesame" >/client/ana.password; echo secret >/client/vault.passphrase; sealite keygen -q -o /client/copy.key'
    printf '%s\n' "$text" | inside bash -eux >"$log" 2>&1 || { cat "$log" >&2; fail "the commands of Packages.md"; }
    until_true sh -c "nsenter -t $system -a journalctl --no-pager -o cat -u sealite-serve@notes | grep -q '^wss://'"
    quietly client credential set wss://127.0.0.1:4984/notes --user ana --password-file ana.password --vault-passphrase-file vault.passphrase
    synced --create >"$log" 2>&1 || { cat "$log" >&2; fail "the client didn't sync"; }
    grep -q 'pulled 1,' "$log" || { cat "$log" >&2; fail "the client didn't get the document"; }
    [ "$(stat -c %U:%a "$root/var/lib/private/sealite/notes/notes.db")" != root:600 ] || fail "the database belongs to root"
    for unit in serve backup rotate; do
        quietly inside systemd-analyze verify "sealite-$unit@notes.service"
        inside systemd-analyze security --no-pager --threshold=20 "sealite-$unit@notes.service" >"$log" 2>&1 || { grep -v ✓ "$log" >&2; fail "sealite-$unit@ is too open"; }
        exposures="${exposures:-} $unit $(sed -n 's/.*exposure level.*: \([0-9.]*\).*/\1/p' "$log")"
    done
    quietly inside systemd-analyze verify sealite-backup@notes.timer sealite-rotate@notes.timer
    say "the instance of Packages.md serves; units verified, exposure:$exposures"
}
try_instance() {
    local before epoch
    quietly inside systemctl start sealite-backup@notes.service
    quietly inside systemctl start sealite-rotate@notes.service
    says '^epoch  *2$' inside sealite-instance notes info notes.db || fail "not rotated"
    for file in notes.header sealite/vault.db; do [ -e "$root/var/lib/private/sealite/notes/$file" ] || fail "there is no $file"; done
    # More backups than are kept.
    inside sh -c 'echo BACKUPS_KEPT=2 >/etc/sealite/notes/backup.conf'
    for _ in 1 2 3; do
        quietly inside systemctl start sealite-backup@notes.service
        sleep 1
    done
    [ "$(cd "$root/var/lib/private/sealite/notes/backups" && printf '%s ' ./*.db ./*.vault | wc -w)" -eq 4 ] || fail "not the number of backups that is to be kept"
    says 'sealite-rotate@notes.timer' inside systemctl list-timers --no-pager || fail "the timer isn't set"
    # What is missing is named. systemd says "credentials" by its version.
    inside systemctl stop sealite-serve@notes
    inside mv /etc/sealite/notes/sealite.key /etc/sealite/notes/away
    expect "control process exited" inside systemctl start sealite-serve@notes
    says credential newest sealite-serve@notes || { cat "$log" >&2; fail "doesn't name the credential"; }
    expect "there is no /etc/sealite/notes/sealite.key" inside sealite-instance notes info notes.db
    inside mv /etc/sealite/notes/away /etc/sealite/notes/sealite.key
    inside mv /etc/sealite/notes/serve.conf /etc/sealite/notes/away
    inside systemctl reset-failed sealite-serve@notes
    expect "failed" inside systemctl start sealite-serve@notes
    says 'Failed to load environment files' newest sealite-serve@notes || { cat "$log" >&2; fail "doesn't name serve.conf"; }
    inside mv /etc/sealite/notes/away /etc/sealite/notes/serve.conf
    inside mv /var/lib/private/sealite/notes/notes.db /var/lib/private/sealite/notes/away
    inside systemctl reset-failed sealite-serve@notes
    inside systemctl start sealite-serve@notes 2>/dev/null || true
    until_true inside systemctl is-failed sealite-serve@notes
    [ "$(inside systemctl show -P ExecMainStatus sealite-serve@notes)" = 66 ] || fail "a missing database isn't exit code 66"
    says 'notes.db" doesn.t exist' newest sealite-serve@notes || { cat "$log" >&2; fail "doesn't name the database"; }
    inside mv /var/lib/private/sealite/notes/away /var/lib/private/sealite/notes/notes.db
    inside systemctl reset-failed sealite-serve@notes
    quietly inside systemctl start sealite-serve@notes
    # Credentials that are encrypted for this machine, as Packages.md has it.
    inside bash -ec 'cd /etc/sealite/notes
        for name in key vault; do systemd-creds encrypt --with-key=host --name=sealite.$name sealite.$name sealite.$name.cred; mv sealite.$name /client/plain.$name; done
        for unit in serve backup rotate; do
            mkdir -p /etc/systemd/system/sealite-$unit@notes.service.d
            sed -n "/^LoadCredential=\$/,/^\`\`\`\$/p" /project/Documentation/Packages.md | sed "1i [Service]" | sed "/^\`\`\`/d" >/etc/systemd/system/sealite-$unit@notes.service.d/override.conf
        done
        systemctl daemon-reload && systemctl restart sealite-serve@notes && systemctl start sealite-backup@notes.service && sealite-instance notes info notes.db' >"$log" 2>&1 ||
        { cat "$log" >&2; fail "encrypted credentials"; }
    synced >"$log" 2>&1 || { cat "$log" >&2; fail "the client doesn't sync with encrypted credentials"; }
    inside bash -ec 'rm -r /etc/systemd/system/sealite-*@notes.service.d; cd /etc/sealite/notes; rm ./*.cred; mv /client/plain.key sealite.key; mv /client/plain.vault sealite.vault; systemctl daemon-reload'
    say "backed up, rotated, with encrypted credentials; a missing credential, file of options and database are named"
}
# What systemd and Prometheus are told. The watchdog's time is shorter here than the unit's.
try_readiness() {
    local before told folder=/etc/systemd/system/sealite-serve@notes.service.d
    inside sh -ec "mkdir '$folder'; printf '[Service]\nWatchdogSec=10s\n' >'$folder/override.conf'; cp /etc/sealite/notes/serve.conf /client/
        sed -i 's/\$/ --metrics-port 9464/' /etc/sealite/notes/serve.conf; systemctl daemon-reload; systemctl restart sealite-serve@notes"
    before=$(process notes)
    synced >"$log" 2>&1 || { cat "$log" >&2; fail "no sync with metrics"; }
    for _ in 1 2 3; do
        told=$(inside systemctl show -P WatchdogTimestampMonotonic sealite-serve@notes)
        until_true sh -c "[ \"\$(nsenter -t $system -a systemctl show -P WatchdogTimestampMonotonic sealite-serve@notes)\" != '$told' ]"
    done
    [ "$(process notes)" = "$before" ] || fail "the watchdog ended what works"
    says '[a-z]' inside systemctl show -P StatusText sealite-serve@notes || fail "the unit has no status"
    says '^sealite_listener_accepted_total 1$' inside python3 -c 'import urllib.request as r; print(r.urlopen("http://127.0.0.1:9464/metrics").read().decode())' ||
        { cat "$log" >&2; fail "the metrics don't count the client"; }
    inside kill -STOP "$before"
    until_true sh -c "nsenter -t $system -a journalctl --no-pager -o cat -u sealite-serve@notes | grep -q 'Watchdog timeout'"
    until_true sh -c "nsenter -t $system -a systemctl is-active sealite-serve@notes && [ \"\$(nsenter -t $system -a systemctl show -P MainPID sealite-serve@notes)\" != $before ]"
    inside sh -ec "rm -r '$folder'; cp /client/serve.conf /etc/sealite/notes/; systemctl daemon-reload; systemctl restart sealite-serve@notes"
    synced >"$log" 2>&1 || { cat "$log" >&2; fail "no sync after the watchdog"; }
    say "systemd is told that it serves and works, and starts again what hangs; the metrics count a client"
}
# change NAME WORD: installs the other version while the instance serves and a shell has the database open.
change() {
    local before
    before=$(process notes)
    [ "$before" != 0 ] || fail "nothing serves before the $2"
    quietly inside apt-get install -y --allow-downgrades $(files "$1" sealite libsealitevfs)
    [ "$(inside systemctl is-active sealite-serve@notes)" = active ] && [ "$(process notes)" != "$before" ] || fail "the $2 doesn't restart what serves"
    client doc put copy.db "by-$2" '{"text": "made beside"}' -k copy.key >/dev/null
    synced >"$log" 2>&1 || { cat "$log" >&2; fail "no sync after the $2"; }
    grep -q 'pushed 1,' "$log" || { cat "$log" >&2; fail "the sync after the $2 pushed another number of documents"; }
}
# Kills the rotation of the unit in its middle, and sets epoch, that of the new keys.
interrupt_rotation() {
    local until
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        quietly inside systemctl start --no-block sealite-rotate@notes.service
        until=$((SECONDS + 20))
        # Without a pause: a rotation takes less than a second.
        until [ -e "$state/notes.db-rotate" ]; do [ "$SECONDS" -lt "$until" ] || fail "the unit doesn't rotate"; done
        inside systemctl kill -s KILL sealite-rotate@notes.service 2>/dev/null || true
        until_true sh -c "nsenter -t $system -a systemctl show -P SubState sealite-rotate@notes.service | grep -qxE 'auto-restart|dead|failed'"
        inside sealite-instance notes info notes.db >"$log"
        epoch=$(sed -n 's/^epoch  *\([0-9]*\).*/\1/p' "$log")
        ! grep -q '^rotation ' "$log" || return 0
        # It had ended, or hadn't begun.
        quietly inside systemctl reset-failed sealite-rotate@notes.service
    done
    cat "$log" >&2
    fail "the rotation wasn't interrupted in its middle"
}
try_versions() {
    local state=$root/var/lib/private/sealite/notes epoch
    # A host has the database open throughout, with the older extension.
    inside sh -c 'mkfifo /client/host && exec systemd-run --quiet --wait --collect --pipe --unit=host -p DynamicUser=yes -p User=sealite-notes \
        -p StateDirectory=sealite/notes -p WorkingDirectory=/var/lib/sealite/notes -p LoadCredential=sealite.key:/etc/sealite/notes/sealite.key \
        sqlite3 <>/client/host >/client/said 2>&1' &
    local host=$!
    until_true test -p "$root/client/host"
    inside tee /client/host >/dev/null <<'SHELL'
.load libsealitevfs
SELECT sealite_unlock_key_file('notes.db', '/run/credentials/host.service/sealite.key');
.open file:notes.db?vfs=sealite
SELECT 'open ' || count(*) FROM documents_1;
SHELL
    until_true grep -q '^open 1$' "$root/client/said"
    # So many bytes that a rotation takes a while.
    seq -f "{\"_id\":\"%.0f\",\"text\":\"$(head -c 20000 /dev/zero | tr '\0' a)\"}" 6000 >"$root/client/lines"
    quietly inside sh -c 'sealite-instance notes import notes.db - </client/lines'
    interrupt_rotation
    inside systemctl stop sealite-rotate@notes.service 2>/dev/null
    change new upgrade
    [ "$(inside dpkg-query -W -f '${Version}' sealite)" = "$version" ] || fail "another version is installed"
    quietly inside systemctl start sealite-rotate@notes.service
    inside sealite-instance notes info notes.db >"$log"
    ! grep -q '^rotation ' "$log" && grep -q "^epoch  *$((epoch + 1))\$" "$log" || { cat "$log" >&2; fail "the new version didn't go on with the rotation"; }
    inside tee /client/host >/dev/null <<<"SELECT 'still ' || (count(*) > 6000) FROM documents_1;"
    until_true grep -q '^still 1$' "$root/client/said"
    change old downgrade
    change new return
    inside systemctl stop host.service
    wait "$host" || true
    inside sealite-instance notes verify notes.db >"$log" 2>&1 || { cat "$log" >&2; fail "not sound after all"; }
    quietly inside systemctl start sealite-backup@notes.service
    say "upgrade and downgrade restart what serves; a shell kept the database open; the new version ended an interrupted rotation"
}
try_removal() {
    local state=$root/var/lib/private/sealite/notes
    quietly inside apt-get remove -y sealite
    ! inside pgrep -x sealite >/dev/null || fail "something runs after the removal"
    [ -e "$state/notes.db" ] || fail "removing deleted the database"
    inside apt-get purge -y sealite libsealitevfs >"$log" 2>&1 || { cat "$log" >&2; fail "not purged"; }
    grep -q '/var/lib/private/sealite stays' "$log" && grep -q '/etc/sealite stays' "$log" || { cat "$log" >&2; fail "purging doesn't say what stays"; }
    [ -e "$state/notes.db" ] && [ -e "$root/etc/sealite/notes/sealite.key" ] || fail "purging deleted a database or key"
    ! find "$root/etc/systemd/system" -name 'sealite*' | grep . || fail "purging left links"
    quietly inside apt-get install -y $(files new sealite)
    quietly inside systemctl start sealite-serve@notes
    synced >"$log" 2>&1 || { cat "$log" >&2; fail "no sync after removing and installing"; }
    inside systemctl stop sealite-serve@notes
    # For the other Debian.
    mkdir -p "$work/from-$debian"
    cp "$(find "$state/backups" -name 'notes-*.db' | sort | tail -n 1)" "$work/from-$debian/backup.db"
    cp "$root/etc/sealite/notes/sealite.key" "$work/from-$debian/"
    say "removing and purging leave databases and keys, and say so; installed again it serves as before"
}
try_backups_of_others() {
    local from
    for from in "$work"/from-*; do
        [ "$from" != "$work/from-$debian" ] || continue
        cp -r "$from" "$root/client/"
        client restore -q "${from##*/}/backup.db" restored.db -k "${from##*/}/sealite.key" >"$log" 2>&1 || { cat "$log" >&2; fail "the backup of ${from##*/}"; }
        quietly client verify restored.db -k "${from##*/}/sealite.key"
        [ "$(client query restored.db "SELECT text FROM _ WHERE META().id = 'first'" -k "${from##*/}/sealite.key" | tail -n 1)" = hello ] || fail "the backup has another content"
        say "restored the backup of Debian ${from##*-}"
    done
}

for debian in $debians; do
    exposures=
    make_system
    try_without_systemd
    try_tool
    boot
    make_instance
    try_instance
    try_readiness
    try_versions
    try_removal
    halt
done
for debian in $debians; do
    root=$work/root-$debian
    boot
    try_backups_of_others
    halt
done
debian=
say "tried on Debian $debians"
