"""Floods a listener with requests whose answers it doesn't read, while an honest peer syncs beside it.

flood_listener.py ATTACK TOOL [SECONDS] runs `TOOL serve server.db` in the current folder, where `key` holds the key of server.db and client.db,
attacks it for so many seconds, or 6, and prints a line of JSON: the peak memory of the listener in MiB, the exit code and the seconds of an
honest `TOOL sync` meanwhile, how many checkpoints of peers are stored with how many bytes, the size of the database's files in MiB,
the seconds of processor time that the listener uses once all attackers have left, until it is idle, and its exit code.

checkpoints   setCheckpoint with bodies of 128 KiB that deflate to 200 bytes, each under a new ID
small         setCheckpoint with bodies of 4 KiB, each under a new ID
silent        the same, as requests that want no answer
proposals     proposeChanges with lists of 128 KiB that deflate to 300 bytes
attachments   getAttachment with 100 KB of a document ID, of content that is there
unwanted      the same, as requests that want no answer
leaving       `small`, by peers that leave at once and come again
pings         `ping`, whose answers have one byte
revisions     `rev` with a history of 90 KB, as requests that want no answer
deltas        the same with `deltaSrc`
waiting       `rev` of 100 attachments that never come, padded with 128 KiB that deflate to 200 bytes
feeds         `subChanges` and `unsubChanges` in turn
"""

import base64
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blip import COMPRESSED, NO_REPLY, connect

attack, tool = sys.argv[1:3]
SECONDS = int(sys.argv[3]) if len(sys.argv) > 3 else 6
CONNECTIONS, REQUESTS = 3, 25_000
HISTORY = ",".join(f"{9998 - number}-aa" for number in range(9_000))


def digest_of(name):
    """A digest of nothing that anyone has."""
    return "sha1-" + base64.b64encode(hashlib.sha1(repr(name).encode()).digest()).decode()


def request(wire, number):
    """Sends the request with a number, all different in the name that they store under."""
    checkpoint = {"Profile": "setCheckpoint", "collection": "0", "client": f"{os.getpid()}-{id(wire)}-{number}"}
    if attack == "checkpoints":
        wire.request(checkpoint, [b'{"x":"' + b"x" * (127 << 10) + b'"}'], COMPRESSED)
    elif attack == "proposals":
        rows = b",".join(b'["d%d","1-aa"]' % (index % 10) for index in range(9_500))
        wire.request({"Profile": "proposeChanges", "collection": "0"}, [b"[" + rows + b"]"], COMPRESSED)
    elif attack == "pings":
        wire.request({"Profile": "ping"})
    elif attack == "feeds":
        profile = ("subChanges", "unsubChanges")[number % 2]
        wire.request({"Profile": profile, "collection": "0", "continuous": "true"}, flags=NO_REPLY)
    elif attack in ("revisions", "deltas"):
        rev = {"Profile": "rev", "collection": "0", "id": f"{id(wire)}-{number}", "rev": "9999-aa", "history": HISTORY}
        if attack == "deltas":
            rev["deltaSrc"] = "1-bb"
        wire.request(rev, [b"{}"], COMPRESSED | NO_REPLY)
    elif attack == "waiting":
        blobs = ",".join(f'"{n}":{{"@type":"blob","digest":"{digest_of((id(wire), number, n))}","length":9}}' for n in range(100))
        rev = {"Profile": "rev", "collection": "0", "id": f"{id(wire)}-{number}", "rev": "1-aa"}
        wire.request(rev, [f'{{{blobs},"x":"{"x" * (128 << 10)}"}}'.encode()], COMPRESSED)
    elif attack in ("attachments", "unwanted"):
        get = {"Profile": "getAttachment", "collection": "0", "digest": digest, "docID": "x" * 100_000}
        wire.request(get, flags=COMPRESSED | (NO_REPLY if attack == "unwanted" else 0))
    else:
        flags = COMPRESSED | (NO_REPLY if attack == "silent" else 0)
        wire.request(checkpoint, [b'{"x":"' + b"x" * 4_000 + b'"}'], flags)


def flood(port, path, deadline):
    """One attacker: sends until the time is over, and never reads."""
    sent = 0
    while time.monotonic() < deadline and sent < REQUESTS:
        try:
            wire = connect(port, path)
            wire.connection.settimeout(1)
            wire.request({"Profile": "getCollections"}, [b'{"checkpoint_ids":["cp"],"collections":["_default"]}'])
            count = 0
            while time.monotonic() < deadline and sent < REQUESTS:
                request(wire, sent)
                sent, count = sent + 1, count + 1
                if attack == "leaving" and count == 2_000:
                    break
        except OSError:
            pass  # The listener doesn't read on, or has closed the connection: both are in order.
        finally:
            wire.connection.close()


def seconds_of(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_of(pid):
    return int(re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{pid}/status").read()).group(1)) // 1024


content = os.urandom(100_000)
with open("content", "wb") as file:
    file.write(content)
digest = "sha1-" + base64.b64encode(hashlib.sha1(content).digest()).decode()
for arguments in (["doc", "put", "server.db", "picture", "{}"], ["blob", "put", "server.db", "picture", "image", "content"]):
    subprocess.run([tool, *arguments, "--key-file", "key"], check=True, stdout=subprocess.DEVNULL)
server = subprocess.Popen(
    [tool, "serve", "server.db", "--key-file", "key", "--plain", "--anyone", "--json"],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
try:
    url = json.loads(server.stdout.readline())["urls"][0]
    port, path = re.match(r"ws://[^:/]+:(\d+)(/.*)", url).groups()
    deadline = time.monotonic() + SECONDS
    attackers = [threading.Thread(target=flood, args=(int(port), path, deadline)) for _ in range(CONNECTIONS)]
    for attacker in attackers:
        attacker.start()
    time.sleep(1)
    begin = time.monotonic()
    honest = subprocess.run(
        [tool, "sync", "client.db", url, "--key-file", "key", "--anonymous"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, timeout=600)
    took = time.monotonic() - begin
    for attacker in attackers:
        attacker.join()
    before = last = seconds_of(server.pid)
    for _ in range(60):
        time.sleep(1)
        last, now = seconds_of(server.pid), last
        if last - now < 0.05:
            break
    after = last - before
    peak = peak_of(server.pid)
    server.send_signal(signal.SIGTERM)
    status = server.wait(300)
finally:
    if server.poll() is None:
        server.kill()
        server.wait()
size = sum(os.path.getsize(name) for name in os.listdir(".") if name.startswith("server.db"))
query = "SELECT count(*), ifnull(sum(length(value)), 0) FROM local_values WHERE store = 'peerCheckpoints'"
rows = subprocess.run(
    [tool, "sql", "server.db", query, "--key-file", "key", "--json"], capture_output=True, text=True, check=True).stdout
count, byte_count = json.loads(rows)[0].values()
print(json.dumps({
    "peak": peak, "honest": honest.returncode, "took": round(took, 1), "count": count, "bytes": byte_count,
    "size": size >> 20, "busy": round(after, 2), "status": status}))
