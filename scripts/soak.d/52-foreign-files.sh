#!/bin/sh
# Databases of 20,000 rows that SQLCipher and SQLite3MultipleCiphers encrypt in every form, copied by the tool and compared; then each with a
# damaged page, of which the rest is carried over. The two programs come from PyPI (scripts/make-foreign-files.py).
# Usage: 52-foreign-files.sh [TOOL]
set -eu
cd "$(dirname "$0")/../.."
tool=$(readlink -f "${1:-.build/release/sealite}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
export HOME="$work/home" XDG_CONFIG_HOME="$work/home" XDG_DATA_HOME="$work/home"
mkdir -p "$HOME"
scripts/make-foreign-files.py "$work/files" 20000
"$tool" keygen -q -o "$work/new.key"
python3 - "$tool" "$work" <<'PYTHON'
import json, os, pathlib, subprocess, sys
tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
index = json.loads((work / "files/settings.json").read_text())
for file in index["files"]:
    old = work / "files" / f"{file['name']}.db"
    secret = work / "old"
    secret.write_text(file.get("passphrase") or file["rawKey"])
    secret.chmod(0o600)
    name = "--old-passphrase-file" if "passphrase" in file else "--old-key-file"
    options = ["--from", file["cipher"], name, secret, "--key-file", work / "new.key", "--accept-unauthenticated"]
    options += [word for setting in file["settings"] for word in ("--old-setting", setting)]
    new = work / "new.db"
    run = lambda *words: subprocess.run([tool, *words], check=True, capture_output=True, text=True).stdout
    run("encrypt", "-q", old, new, *options)
    (row,) = json.loads(run("sql", new, "--key-file", work / "new.key", "--json",
                            "SELECT count(*) AS n, sum(length(c)) AS s, sum(b = 'row ' || a) AS b FROM t"))
    assert row == {"n": 20000, "s": 490000, "b": 20000}, (file["name"], row)
    new.unlink()
    content = bytearray(old.read_bytes())
    content[len(content) // 2] ^= 1
    old.write_bytes(content)
    damaged = subprocess.run([tool, "encrypt", "-q", old, new, *options, "--skip-damaged"], capture_output=True, text=True)
    rows = json.loads(run("sql", new, "--key-file", work / "new.key", "--json", "SELECT count(*) AS n FROM t"))[0]["n"]
    authenticated = file["cipher"] in ("sqlcipher", "chacha20") and not {"cipher_use_hmac=OFF", "cipher_compatibility=1"} & set(file["settings"])
    # A damaged page of an index, and one that the log replaces, cost no rows.
    assert damaged.returncode in ((65, 0) if "-wal" in file["name"] or not authenticated else (65,)), (file["name"], damaged)
    assert 19000 <= rows <= 20000, (file["name"], rows)
    for path in work.glob("new.db*"):
        path.unlink()
    print(f"foreign files: {file['name']}: the same rows; {rows} of 20000 beside a damaged page")
PYTHON
