#!/usr/bin/env python3
"""Makes Fixtures/Foreign: small databases that SQLCipher and SQLite3MultipleCiphers encrypted, each in its own file FILE.db, some with a
write-ahead log, and settings.json with what opens each. Installs the two programs' Python packages in a temporary folder. The files have random salts
and nonces, so they come out different each time.

With a folder as its argument it makes larger files there instead, for the soak, with ROWS rows (the second argument).
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

PACKAGES = ["sqlcipher3-binary==0.6.0", "apsw-sqlite3mc==3.54.0.0"]
PASSPHRASE = "correct horse é"
KEY = "ab" * 32
SALT = "cd" * 16

# The name, the program, its pragmas and the options of `sealite encrypt`.
FILES = [
    ("sqlcipher-4", "sqlcipher", [], []),
    ("sqlcipher-3", "sqlcipher", ["cipher_compatibility=3"], ["cipher_compatibility=3"]),
    ("sqlcipher-2", "sqlcipher", ["cipher_compatibility=2"], ["cipher_compatibility=2"]),
    ("sqlcipher-1", "sqlcipher", ["cipher_compatibility=1"], ["cipher_compatibility=1"]),
    ("sqlcipher-raw-key", "sqlcipher", [], []),
    ("sqlcipher-raw-key-salt", "sqlcipher", ["cipher_plaintext_header_size=32"], ["cipher_plaintext_header_size=32"]),
    ("sqlcipher-plain-header", "sqlcipher", ["cipher_plaintext_header_size=32", f"cipher_salt=\"x'{SALT}'\""],
     ["cipher_plaintext_header_size=32", f"cipher_salt={SALT}"]),
    ("sqlcipher-no-hmac", "sqlcipher", ["cipher_use_hmac=OFF"], ["cipher_use_hmac=OFF"]),
    ("sqlcipher-settings", "sqlcipher",
     ["cipher_page_size=1024", "kdf_iter=1000", "cipher_hmac_algorithm=HMAC_SHA256", "cipher_kdf_algorithm=PBKDF2_HMAC_SHA1"],
     ["cipher_page_size=1024", "kdf_iter=1000", "cipher_hmac_algorithm=HMAC_SHA256", "cipher_kdf_algorithm=PBKDF2_HMAC_SHA1"]),
    ("sqlcipher-wal", "sqlcipher", ["cipher_page_size=1024", "kdf_iter=1000"], ["cipher_page_size=1024", "kdf_iter=1000"]),
    ("sqlcipher-functions", "sqlcipher", ["cipher_page_size=1024", "kdf_iter=1000"], ["cipher_page_size=1024", "kdf_iter=1000"]),
    ("chacha20", "chacha20", [], []),
    ("chacha20-wal", "chacha20", ["page_size=1024", "kdf_iter=1000"], ["kdf_iter=1000"]),
    ("chacha20-legacy", "chacha20", ["legacy=1", "legacy_page_size=4096"], ["legacy=1", "kdf_iter=12345"]),
    ("sqlcipher-of-multiple-ciphers", "sqlcipher-mc", [], []),
    ("aes256cbc", "aes256cbc", ["page_size=512"], []),
    ("aes256cbc-legacy", "aes256cbc", ["legacy=1", "page_size=1024"], ["legacy=1", "page_size=1024"]),
    ("aes128cbc", "aes128cbc", ["page_size=1024"], []),
    ("aes128cbc-legacy", "aes128cbc", ["legacy=1", "page_size=1024"], ["legacy=1", "page_size=1024"]),
]


def fill(run, rows):
    run("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c BLOB)")
    run("CREATE INDEX i ON t(b)")
    run(f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {rows})"
        " INSERT INTO t SELECT x, 'row ' || x, zeroblob(x % 50) FROM n")


def fill_with_functions(connection):
    """Adds what needs a collation and a function of the program, texts of several pages, and free pages."""
    run = connection.execute
    connection.create_collation("app", lambda a, b: (a > b) - (a < b))
    connection.create_function("app", 1, lambda text: text, deterministic=True)
    run("CREATE INDEX j ON t(app(b))")
    run("CREATE TABLE u(k TEXT COLLATE app PRIMARY KEY, d TEXT) WITHOUT ROWID")
    run("INSERT INTO u SELECT 'key ' || a, replace(hex(zeroblob(1500 + a)), '00', 'text ' || a) FROM t WHERE a <= 5")
    run("DELETE FROM u WHERE k = 'key 3'")


def make(path, name, program, pragmas, rows):
    """Runs inside the temporary environment."""
    if program == "sqlcipher":
        from sqlcipher3 import dbapi2
        connection = dbapi2.connect(str(path), isolation_level=None)
        keys = {"sqlcipher-raw-key": f"\"x'{KEY}'\"", "sqlcipher-raw-key-salt": f"\"x'{KEY}{SALT}'\""}
        connection.execute(f"PRAGMA key = {keys.get(name, repr(PASSPHRASE))}")
        for pragma in pragmas:
            connection.execute("PRAGMA " + pragma)
    else:
        import apsw
        connection = apsw.Connection(str(path))
        connection.execute(f"PRAGMA cipher='{program.removesuffix('-mc')}'")
        for pragma in [text for text in pragmas if not text.startswith("page_size")]:
            connection.execute("PRAGMA " + pragma)
        connection.execute(f"PRAGMA key='{PASSPHRASE}'")
        for pragma in [text for text in pragmas if text.startswith("page_size")]:
            connection.execute("PRAGMA " + pragma)
    if not name.endswith("-wal"):
        fill(connection.execute, rows)
        if name == "sqlcipher-functions":
            fill_with_functions(connection)
        connection.close()
        return
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    fill(connection.execute, rows // 2)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute(f"WITH RECURSIVE n(x) AS (SELECT {rows // 2 + 1} UNION ALL SELECT x + 1 FROM n WHERE x < {rows})"
                       " INSERT INTO t SELECT x, 'row ' || x, zeroblob(x % 50) FROM n")
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{path}.copy{suffix}")
    connection.close()
    for suffix in ("", "-wal"):
        shutil.move(f"{path}.copy{suffix}", f"{path}{suffix}")


def main():
    if sys.argv[1:2] == ["--inside"]:
        folder, rows = pathlib.Path(sys.argv[2]), int(sys.argv[3])
        for name, program, pragmas, _ in FILES:
            make(folder / f"{name}.db", name, program, pragmas, rows)
        return
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "Fixtures/Foreign"
    rows = sys.argv[2] if len(sys.argv) > 2 else "40"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="sealite-foreign-") as environment:
        venv.create(environment, with_pip=True)
        python = pathlib.Path(environment, "bin/python3")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        subprocess.run([python, __file__, "--inside", folder, rows], check=True)
    settings = [{
        "name": name, "settings": options,
        "cipher": "sqlcipher" if program.startswith("sqlcipher") else program,
        **({"rawKey": KEY + (SALT if name.endswith("salt") else "")} if "raw-key" in name else {"passphrase": PASSPHRASE}),
    } for name, program, _, options in FILES]
    (folder / "settings.json").write_text(
        json.dumps({"source": f"scripts/make-foreign-files.py, with {', '.join(PACKAGES)}", "rows": int(rows), "files": settings},
                   indent=1, ensure_ascii=False) + "\n")


main()
