#!/bin/sh
# Checks a build of libsealitevfs.so that is to stand alone: what it needs, what it shows, and that it loads into Debian's own programs where
# no Swift toolchain is to be found. A program with its own copy of SQLite must refuse it with a reason.
# Usage: check-extension.sh LIBRARY
set -eu
cd "$(dirname "$0")/.."
library=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

fail() {
    echo "check-extension: $*" >&2
    exit 1
}

# Everything of a Debian without Swift. libstdc++, libgcc and libpcre2 are essential there: apt and dpkg themselves need them.
allowed="libcrypto.so.3 libsqlite3.so.0 libpcre2-8.so.0 libstemmer.so.0d libc.so.6 libm.so.6 libstdc++.so.6 libgcc_s.so.1 ld-linux-x86-64.so.2
    ld-linux-aarch64.so.1"
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for name in $needed; do
    case " $(echo $allowed) " in
    *" $name "*) ;;
    *) fail "needs $name, which is not on the list: $(echo $allowed)" ;;
    esac
done
for name in libcrypto.so.3 libsqlite3.so.0; do
    echo "$needed" | grep -qx "$name" || fail "doesn't need $name: it must use the host's, not a copy"
done
path=$(readelf -d "$library" | sed -n 's/.*(R.*PATH).*\[\(.*\)\]/\1/p')
[ -z "$path" ] || fail "looks for libraries in $path"
# The linker shows a few Swift types of ours whatever the version script says; of the Swift runtime it must show nothing.
shown=$(nm -D --extern-only --defined-only "$library" | awk '{print $3}' | grep -vE '^\$s[0-9]+Sealite' | sort | tr '\n' ' ')
[ "$shown" = "sqlite3_extension_init sqlite3_sealitevfs_init " ] || fail "shows other symbols: $shown"
elsewhere=$(env -i ldd "$library" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | grep -vE '^/(usr/)?lib(64)?/' || true)
[ -z "$elsewhere" ] || fail "finds libraries outside the system's folders: $elsewhere"

# Loaded by the programs themselves, with an empty environment.
for_shell=$(env -i /usr/bin/sqlite3 :memory: ".load $library" "SELECT sealite_version()")
for_python=$(env -i /usr/bin/python3 - "$library" <<'PYTHON'
import sqlite3, sys
connection = sqlite3.connect(":memory:")
connection.enable_load_extension(True)
connection.load_extension(sys.argv[1])
print(connection.execute("SELECT sealite_version()").fetchone()[0])
PYTHON
)
case "$for_shell" in "Sealite "*) ;; *) fail "the sqlite3 shell printed: $for_shell" ;; esac
[ "$for_shell" = "$for_python" ] || fail "python3 printed: $for_python"

# An index on a function over bodies, kept by the connection that loaded the library and by a later one.
table="CREATE TABLE t(body BLOB); CREATE INDEX keys ON t (body_key('queries', body, 'a')); INSERT INTO t VALUES (x'4C17611331'), (x'0C');"
check="PRAGMA trusted_schema = OFF; REINDEX; SELECT group_concat(rowid) FROM (SELECT rowid FROM t INDEXED BY keys
    WHERE body_key('queries', body, 'a') > x'' ORDER BY body_key('queries', body, 'a')); PRAGMA integrity_check;"
by_shell=$(env -i /usr/bin/sqlite3 "$work/plain.db" ".load $library" "$table" "$check" ".open $work/plain.db" "$check" | tr '\n' ' ')
[ "$by_shell" = "2,1 ok 2,1 ok " ] || fail "an index on body_key in the sqlite3 shell: $by_shell"
by_python=$(env -i /usr/bin/python3 - "$library" "$work/plain.db" <<'PYTHON'
import sqlite3, sys
host = sqlite3.connect(":memory:")
host.enable_load_extension(True)
host.load_extension(sys.argv[1])
later = sqlite3.connect(sys.argv[2])
later.execute("INSERT INTO t VALUES (x'3C176100')")
later.execute("REINDEX")
order = "body_key('queries', body, 'a')"
rows = later.execute(f"SELECT rowid FROM t INDEXED BY keys WHERE {order} > x'' ORDER BY {order}").fetchall()
print([row[0] for row in rows], later.execute("PRAGMA integrity_check").fetchone()[0])
PYTHON
)
[ "$by_python" = "[2, 3, 1] ok" ] || fail "an index on body_key in python3: $by_python"

# Full-text search with Sealite's tokenizer: made by the shell, kept through triggers and searched by Python.
words="CREATE TABLE d(id INTEGER PRIMARY KEY, t); INSERT INTO d VALUES (1, 'Running dogs'), (2, 'Caf' || char(233));
    CREATE VIRTUAL TABLE w USING fts5(t, content='d', content_rowid='id', tokenize='sealite language english accents ignore');
    CREATE TRIGGER added AFTER INSERT ON d BEGIN INSERT INTO w (rowid, t) VALUES (NEW.id, NEW.t); END;
    CREATE TRIGGER gone AFTER DELETE ON d BEGIN INSERT INTO w (w, rowid, t) VALUES ('delete', OLD.id, OLD.t); END;
    INSERT INTO w (w) VALUES ('rebuild'); SELECT group_concat(rowid) FROM w('run OR cafe');"
by_shell=$(env -i /usr/bin/sqlite3 "$work/words.db" ".load $library" "$words")
[ "$by_shell" = "1,2" ] || fail "full-text search in the sqlite3 shell: $by_shell"
by_python=$(env -i /usr/bin/python3 - "$library" "$work/words.db" <<'PYTHON'
import sqlite3, sys
host = sqlite3.connect(":memory:")
host.enable_load_extension(True)
host.load_extension(sys.argv[1])
later = sqlite3.connect(sys.argv[2])
later.execute("DELETE FROM d WHERE id = 1")
later.execute("INSERT INTO d VALUES (3, 'the runner runs')")
later.execute("INSERT INTO w (w, rank) VALUES ('integrity-check', 1)")
print([row[0] for row in later.execute("SELECT rowid FROM w('run')")], [row[0] for row in later.execute("SELECT rowid FROM w('runn*')")])
PYTHON
)
[ "$by_python" = "[3] [3]" ] || fail "full-text search in python3: $by_python"

# A host that brings its own SQLite.
venv=.build/venv-apsw
[ -x $venv/bin/python3 ] && $venv/bin/python3 -c 'import apsw' 2>/dev/null || {
    /usr/bin/python3 -m venv --clear $venv
    $venv/bin/python3 -m pip install --quiet --disable-pip-version-check 'apsw==3.46.1.0' || fail "apsw can't be installed"
}
refusal=$($venv/bin/python3 - "$library" <<'PYTHON'
import apsw, sys
connection = apsw.Connection(":memory:")
connection.enable_load_extension(True)
try:
    connection.load_extension(sys.argv[1])
    print("loaded")
except apsw.ExtensionLoadingError as error:
    print(error)
assert "sealite" not in apsw.vfs_names(), "half served"
PYTHON
)
case "$refusal" in
*"carries its own copy of SQLite"*) ;;
*) fail "apsw was not refused with a reason: $refusal" ;;
esac
echo "check-extension: $for_shell; $(echo $needed | wc -w) libraries needed, all on the list"
echo "check-extension: apsw: $refusal"
