"""A peer that speaks BLIP over WebSocket and means harm, for the tests of `sealite sync` and `sealite serve`.

hostile_peer.py client|listener ATTACK TOOL DIGEST runs the tool in the current folder as the side that is named, attacks it, and
prints the tool's peak memory in MiB, its exit status, and how often it was asked for an attachment. DIGEST names an attachment of
the tool's database.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Attacks"))
from blip import COMPRESSED, MORE, NO_REPLY, encoded, messages, upgrade, upgraded

side, attack, tool, digest = sys.argv[1:]
noise = os.urandom(1 << 20)


def endless(wire, number):
    """Answers a request with bytes that never end, as fast as they are taken."""
    sent, payload = 0, b"\0" + noise[:15_000]
    try:
        while True:
            wire.frame(number, 1 | MORE, payload)
            sent += len(payload)
            with wire.news:
                while sent - wire.acknowledged.get(number, 0) > 120_000 and not wire.isOver:
                    wire.news.wait()
            if wire.isOver:
                return
            payload = noise[:16_000]
    except OSError:
        pass


def strike(wire):
    """Begins the attack."""
    revision = {"Profile": "rev", "collection": "0", "id": "a", "rev": "1-aa", "sequence": "1"}
    if attack == "hugeRevision":
        wire.request(revision, (noise[:16_000] for _ in range(6_250)))
    elif attack == "millionRows":
        row, profile = (b'[1,"a","1-aa"],', "changes") if side == "client" else (b'["a","1-aa"],', "proposeChanges")
        rows = [b"["] + [row * 1_000] * 1_000 + [b"0]"]
        wire.request({"Profile": profile, "collection": "0"}, rows, COMPRESSED)
    elif attack == "unfinished":
        for number in range(10_000):
            wire.request(revision, [noise[: 16_000 if number < 1_000 else 100]], isEnded=False)
    elif attack == "bomb":
        wire.request(revision, [bytes(16 << 20)] * 13, COMPRESSED)
    elif attack == "endlessAttachment":
        blob = {"@type": "blob", "digest": "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "length": 10_000_000}
        wire.request(revision, [json.dumps({"b": blob}).encode()])
    elif attack == "unread":
        for _ in range(5_000):
            wire.request({"Profile": "getAttachment", "collection": "0", "digest": digest, "docID": "blob"})


def caught_up(wire):
    wire.request({"Profile": "changes", "collection": "0"}, [b"[]"], NO_REPLY)


asked = 0


def converse(wire):
    """Answers what the tool asks, and strikes when it is ready for it."""
    global asked
    announced = None
    for number, kind, properties, body in messages(wire):
        profile = properties.get("Profile")
        if kind == 0 and profile == "getAttachment":
            asked += 1
            threading.Thread(target=endless, args=(wire, number), daemon=True).start()
        elif kind == 0 and profile == "getCollections":
            wire.frame(number, 1, b"\0[{}]")
        elif kind == 0 and profile == "rev" and attack == "unread":
            # Only attachments of revisions that were sent are given.
            return strike(wire)
        elif kind == 0 and profile == "changes" and attack == "unread":
            wire.frame(number, 1, b"\0[[]]")
        elif kind == 0 and profile in ("subChanges", "setCheckpoint"):
            wire.frame(number, 1, encoded({"rev": "0-1"}))
            if profile == "setCheckpoint" or attack == "unread":
                continue
            if attack in ("hugeRevision", "endlessAttachment"):
                announced = wire.request({"Profile": "changes", "collection": "0"}, [b'[[1,"a","1-aa"]]'])
            else:
                strike(wire)
                caught_up(wire)
        elif kind == 1 and number == announced:
            strike(wire)
            caught_up(wire)
        elif kind == 0 and profile == "proposeChanges":
            wire.frame(number, 1, b"\0[]")


def attack_client():
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"ws://127.0.0.1:{server.getsockname()[1]}/db"
        direction = "--push" if attack == "unread" else "--pull"
        process = subprocess.Popen(
            [tool, "sync", "client.db", url, "--key-file", "key", "--anonymous", "--attempts", "1", direction],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        connection, _ = server.accept()
        try:
            converse(upgraded(connection))
        except OSError:
            pass
        if attack == "unread":
            # It waits for what nobody reads until it is told to end.
            time.sleep(2)
            process.terminate()
        return process, connection


def attack_listener():
    process = subprocess.Popen(
        [tool, "serve", "server.db", "--key-file", "key", "--plain", "--anyone", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    url = json.loads(process.stdout.readline())["urls"][0]
    host, port, path = re.match(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
    connection = socket.create_connection((host, int(port)))
    wire = upgrade(connection, path)
    if attack != "unread":
        threading.Thread(target=converse, args=(wire,), daemon=True).start()
    try:
        wire.request({"Profile": "getCollections"}, [b'{"checkpoint_ids":["cp"],"collections":["_default"]}'])
        if attack == "unread":
            wire.request({"Profile": "subChanges", "collection": "0"})
            converse(wire)
        else:
            strike(wire)
    except OSError:
        pass
    deadline = time.monotonic() + 3
    while attack == "endlessAttachment" and asked == 0 and time.monotonic() < deadline + 60:
        time.sleep(0.1)
    time.sleep(2)
    process.terminate()
    return process, connection


process, connection = attack_client() if side == "client" else attack_listener()
_, status, usage = os.wait4(process.pid, 0)
connection.close()
print(usage.ru_maxrss // 1024, os.waitstatus_to_exitcode(status), asked, flush=True)
os._exit(0)
