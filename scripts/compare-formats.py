#!/usr/bin/python3
"""Compares what two versions of the tool say of one database of document format 1: compare-formats.py OLD NEW [DOCUMENTS [SEED]].

OLD is the tool of the last commit that wrote format 1 (f7bfeb2), NEW the present one. OLD makes a database with several collections,
values of every kind, blobs, tombstones, expirations, histories and conflicts, and syncs it with a peer that it serves. NEW migrates
copies of both. Everything that both versions can print has to be equal; then each pair of the old and the new tool as client and
listener has to go on from the checkpoints: nothing that was synced is transferred again, and each edit is transferred once.
"""
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile

OLD, NEW = (os.path.realpath(path) for path in sys.argv[1:3])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 4000
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
COLLECTIONS = ["_default._default", "people.staff", "people.guests", "a-b_c%.X-1"]
BLOB_COUNT = 25
chance = random.Random(SEED)
checks = 0
work = tempfile.mkdtemp(prefix="sealite-formats-")
os.chdir(work)
os.environ["HOME"] = work
for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CREDENTIALS_DIRECTORY"]:
    os.environ.pop(name, None)


def run(tool, *words, status=0, text=None, before=()):
    """Runs a command of one tool, and returns its output, or with another expected status what it says of the failure."""
    end = words.index("--") if "--" in words else len(words)
    ran = subprocess.run([*before, tool, *words[:end], "--key-file", "key", *words[end:]], input=text, capture_output=True)
    if ran.returncode != status:
        sys.exit(f"formats: {os.path.basename(tool)} {' '.join(words)}: {ran.returncode}, not {status}: {ran.stderr.decode()}")
    return ran.stdout if status == 0 else ran.stderr.decode()


def lines(tool, *words):
    return run(tool, *words).decode().split("\n")[:-1]


def expect(condition, message):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"formats: {message} (seed {SEED}; the files are in {work})")


# Documents

def text():
    pieces = ["", "a", "\u00e9", "e\u0301", "\u0000", "\u001f", "\u007f", "\u2028", "\ufeff", "\uffff", "\U0001f600", "\U0010ffff",
              "\"", "\\", "/", "ß", "'", "漢字", "null", " "]
    return "".join(chance.choice(pieces) for _ in range(chance.choice([0, 1, 3, 40])))


def written(value):
    """A string as JSON, sometimes with each character escaped, those outside the BMP as surrogate pairs."""
    if chance.random() < 0.3:
        units = value.encode("utf-16-be")
        return '"' + "".join(f"\\u{units[i]:02x}{units[i + 1]:02X}" for i in range(0, len(units), 2)) + '"'
    return json.dumps(value, ensure_ascii=chance.random() < 0.5)


def number():
    digits = "".join(chance.choice("0123456789") for _ in range(chance.choice([1, 3, 17, 19, 40, 400]))).lstrip("0") or "0"
    fixed = ["0", "-0", "0.0", "-0.0", "1.0", "1.50", "9007199254740993", "9223372036854775807", "-9223372036854775808",
             "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400", "-1E-400", "5e-324", "1.7976931348623157e308",
             "0.1", "1e2", "1E+2", "123456789012345678901234567890.000"]
    made = [digits, "-" + digits, digits + "." + digits, digits + "e-" + digits[:3]]
    return chance.choice(chance.choice([fixed, made]))


def value(depth=0):
    kind = chance.randrange(9 if depth < 4 else 6)
    if kind < 2:
        return number()
    if kind < 4:
        return written(text())
    if kind < 6:
        return chance.choice(["null", "true", "false", "[]", "{}", '""'])
    if kind == 6:
        return "[" + ",".join(value(depth + 1) for _ in range(chance.randrange(5))) + "]"
    return members(depth + 1)


def members(depth=0, first=()):
    names = {chance.choice(["", "a", "v", "name", "\u00e9", "e\u0301", "x.y", "$x", "a b", "[0]", "\U0001f600", "_x"]) for _ in range(chance.randrange(6))}
    if depth == 0:
        names -= {"_x"}
    found = [*first, *(f"{written(name)}:{value(depth)}" for name in sorted(names))]
    return "{" + ",".join(found) + "}"


def document(id):
    return members(0, [f'"_id":{json.dumps(id)}'])


def ids(count):
    odd = ["x", "é", "e\u0301", "\U0001f600", "a/b", "a b", "%00", "-", "\"", "z" * 240]
    return odd + [f"doc-{number}" for number in range(count - len(odd))]


def fill(database, name, chosen):
    run(OLD, "import", database, "-", "--collection", name, text="".join(document(id) + "\n" for id in chosen).encode())


def make():
    """The database, and what its peer has: what was synced before, and what wasn't."""
    with open("key", "wb") as file:
        file.write(bytes(range(32)))
    os.chmod("key", 0o600)
    for database in ["one.db", "peer.db"]:
        run(OLD, "create", database)
    every = {}
    for name in COLLECTIONS:
        for database in ["one.db", "peer.db"]:
            if name != COLLECTIONS[0]:
                run(OLD, "collection", "create", database, name)
        every[name] = ids(COUNT // len(COLLECTIONS))
        fill("one.db", name, every[name])
        for _ in range(4):  # histories of up to five generations
            fill("one.db", name, chance.sample(every[name], len(every[name]) // 4))
    run(OLD, "collection", "create", "one.db", "gone.one")
    fill("one.db", "gone.one", ["a", "b"])
    run(OLD, "collection", "delete", "one.db", "gone.one", "--yes")
    run(OLD, "collection", "create", "one.db", "empty")
    for name in COLLECTIONS:
        at = ["--collection", name]
        dead = chance.sample(every[name], len(every[name]) // 8)
        run(OLD, "doc", "delete", "one.db", *at, "--", *dead)
        fill("one.db", name, dead[::4])  # made again over their tombstones
        gone = [id for id in chance.sample(every[name], 12) if id not in dead]
        run(OLD, "doc", "purge", "one.db", *at, "--", *gone, dead[1])
        for number in range(BLOB_COUNT):
            content = chance.randbytes(chance.choice([0, 1, 1000, 4096, 70_000, 300_000]))
            fill("one.db", name, [f"blob-{number}"])
            run(OLD, "blob", "put", "one.db", f"blob-{number}", "file", "-", "--type", "x/y", *at, text=content)
    nested = "[" * 490 + "1" + "]" * 490
    run(OLD, "doc", "put", "one.db", "deep", f'{{"deep":{nested}}}')
    run(OLD, "doc", "put", "one.db", "wide", "-", text=json.dumps({str(number): number for number in range(20_000)}).encode())


def expire():
    for number in range(1, len(COLLECTIONS) + 1):
        run(OLD, "sql", "one.db", "--raw", f"UPDATE documents_{number} SET expires = 4102444800000 + sequence WHERE sequence % 7 = 0 AND NOT flags & 1")


# Sync

class Served:
    """A database that a tool serves on a port of this machine: the same one for all, since the checkpoints belong to the address."""

    port = None

    def __init__(self, tool, database):
        if Served.port is None:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                Served.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [tool, "serve", database, "--name", "peer", "--port", str(Served.port), "--key-file", "key", "--anyone", "--plain",
             "--json", *(word for name in COLLECTIONS for word in ("--collection", name))],
            stdout=subprocess.PIPE, stderr=open(f"served-{database}.errors", "ab"))
        line = self.process.stdout.readline()
        expect(line, f"'serve' ended: {open(f'served-{database}.errors').read()}")
        self.url = json.loads(line)["urls"][0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()


def sync(tool, database, served):
    """Syncs, and returns how many documents were pushed and pulled."""
    out = run(tool, "sync", database, served.url, "--anonymous", "--json",
              *(word for name in COLLECTIONS for word in ("--collection", name)))
    summary = json.loads(out.decode().strip().split("\n")[-1])
    print(f"formats: synced: {json.dumps(summary)}")
    expect(summary["failed"] == 0, f"a sync failed: {out}")
    return summary["pushed"], summary["pulled"]


def edit(tool, database, id, note, name=COLLECTIONS[1]):
    run(tool, "doc", "put", database, "--collection", name, id, json.dumps({"note": note}))


# What both print

def account(tool, database):
    """Everything that a tool prints of a database, by what was asked."""
    said = {"collections": sorted(lines(tool, "collection", "list", database, "--json"))}
    for place, name in enumerate(COLLECTIONS, 1):
        at = ["--collection", name]
        for order in [[], ["--by-sequence"]]:
            said[f"{name} export {order}"] = lines(tool, "export", database, "-", *at, *order)
            said[f"{name} list {order}"] = lines(tool, "doc", "list", database, "--deleted", "--json", *at, *order)
        said[f"{name} changes"] = lines(tool, "changes", database, "--json", *at)
        known = [json.loads(line)["id"] for line in said[f"{name} list []"]]
        for id in random.Random(SEED).sample(known, 20):
            # The old tool lists revisions in the order of the stored tree.
            history = sorted(lines(tool, "doc", "history", database, "--json", *at, "--", id))
            said[f"{name} {id} history"] = history
            for revision in map(json.loads, history):
                if revision.get("body") and not revision.get("deleted"):
                    said[f"{name} {id} {revision['revision']}"] = lines(
                        tool, "doc", "get", database, "--revision", revision["revision"], *at, "--", id)
        for number in range(BLOB_COUNT):
            if f"blob-{number}" in known:
                said[f"{name} blob {number}"] = run(tool, "blob", "get", database, f"blob-{number}", "file", "-", *at)
        # The rows themselves: what is stored of each document stays as it is, byte for byte.
        said[f"{name} rows"] = lines(
            tool, "sql", database, "--csv",
            f"SELECT sequence, id, flags, hex(revision), expires, hex(body), hex(tree) FROM documents_{place} ORDER BY sequence")
    for table in ["collections", "properties", "blobs", "blob_references", "remotes", "local_values"]:
        said[table] = lines(tool, "sql", database, "--json", f"SELECT * FROM {table} ORDER BY 1, 2")
    # OLD doesn't say the way.
    refused = lines(tool, "sync-status", database, "--json")
    said["remotes' refusals"] = [line.replace('"way":"push",', "") for line in refused]
    return said


def compare(before, after, what):
    for key in before:
        if before[key] != after[key]:
            pairs = [(a, b) for a, b in zip(before[key], after[key]) if a != b][:3]
            print(f"formats: {what}: {key} differs: {len(before[key])} and {len(after[key])} lines, first {pairs}", file=sys.stderr)
    differing = [key for key in before if before[key] != after[key]]
    expect(not differing, f"{what}: {len(differing)} of {len(before)} answers differ")
    print(f"formats: {what}: {len(before)} answers are equal")


def copies(name, *databases):
    """Copies of databases in a folder of their own, which becomes the working folder."""
    os.makedirs(f"{work}/{name}")
    for file in ["key", *databases]:
        shutil.copy(f"{work}/{file}", f"{work}/{name}/{file}")
    os.chdir(f"{work}/{name}")


def go_on(client, listener, name):
    """Goes on syncing copies of the database and its peer."""
    copies(name, "one.db", "peer.db")
    with Served(listener, "peer.db") as served:
        done = sync(client, "one.db", served)
        expect(done == (1, 0), f"{name}: {done} instead of the one document that wasn't pushed yet")
        expect(sync(client, "one.db", served) == (0, 0), f"{name}: there is more to sync")
        edit(client, "one.db", "doc-20", "here")
    edit(listener, "peer.db", "doc-21", "there")
    with Served(listener, "peer.db") as served:
        done = sync(client, "one.db", served)
        expect(done == (1, 1), f"{name}: {done} instead of one edit each way")
    for id, note in [("doc-20", "here"), ("doc-21", "there")]:
        for tool, database in [(client, "one.db"), (listener, "peer.db")]:
            got = run(tool, "doc", "get", database, id, "--collection", COLLECTIONS[1]).decode()
            expect(json.loads(got) == {"note": note}, f"{name}: {id} in {database}: {got}")
    for tool, database in [(client, "one.db"), (listener, "peer.db")]:
        run(tool, "verify", database)
    print(f"formats: {name}: goes on from the checkpoints")


make()
with Served(OLD, "peer.db") as served:
    first = sync(OLD, "one.db", served)
for number in range(30, 36):  # conflicts
    edit(OLD, "one.db", f"doc-{number}", "here")
    edit(OLD, "peer.db", f"doc-{number}", "there")
edit(OLD, "peer.db", "only there", "there")
with Served(OLD, "peer.db") as served:
    second = sync(OLD, "one.db", served)
    expect(sync(OLD, "one.db", served) == (0, 0), "the database isn't synced")
edit(OLD, "one.db", "not pushed", "here")
expire()
for database in ["one.db", "peer.db"]:
    run(OLD, "verify", database)
print(f"formats: {first[0]} pushed, then {second[0]} and {second[1]} pulled, {os.path.getsize('one.db') >> 10} KiB, seed {SEED}")
before = account(OLD, "one.db")

# A file that can't be written is refused and stays as it is.
copies("read-only", "one.db")
original = open("one.db", "rb").read()
os.chmod("one.db", 0o400)
as_owner = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
for words in [["doc", "list", "one.db"], ["export", "one.db", "-"]]:
    said = run(NEW, *words, status=78, before=as_owner)
    expect("format 1" in said, f"read-only, the reason isn't named: {said}")
expect(open("one.db", "rb").read() == original, "a file that isn't writable was changed")
print(f"formats: read-only: {said.strip()}")

# The migration itself.
copies("migrated", "one.db")
run(NEW, "doc", "get", "one.db", "deep")
expect(lines(NEW, "sql", "one.db", "--csv", "PRAGMA user_version")[-1] == "2", "the database isn't migrated")
run(NEW, "verify", "one.db")
compare(before, account(NEW, "one.db"), "migrated")
for words in [["doc", "list", "one.db"], ["doc", "put", "one.db", "a", "{}"], ["export", "one.db", "-"]]:
    ran = subprocess.run([OLD, *words, "--key-file", "key"], capture_output=True, text=True)
    expect(ran.returncode == 76 and "format 2" in ran.stderr, f"the old tool opens it: {ran.returncode} {ran.stderr}")
print(f"formats: the old tool: {ran.stderr.strip()}")

go_on(NEW, NEW, "both migrated")
go_on(NEW, OLD, "migrated, with an old listener")
go_on(OLD, NEW, "an old client, with a migrated listener")
print(f"formats: {checks} checks passed")
os.chdir("/")
shutil.rmtree(work)
