"""A peer with a document that no database can store, for the tests of `sealite sync`.

nested_peer.py TOOL ACTION ... runs `sealite sync --pull` with this peer in the current folder, once for each action. With `kill` the
tool is killed when it asks to save its checkpoint, before it is answered; with `sync` it isn't. Prints a line for each run: the tool's
exit status, and the ids that each subscription was limited to, as JSON.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Attacks"))
from blip import NO_REPLY, encoded, messages, upgraded

tool, *actions = sys.argv[1:]
changes = {"Profile": "changes", "collection": "0"}
subscriptions = []


def converse(wire):
    announced = None
    for number, kind, properties, body in messages(wire):
        profile = properties.get("Profile")
        if kind == 0 and profile == "getCollections":
            wire.frame(number, 1, b"\0[{}]")
        elif kind == 0 and profile == "setCheckpoint":
            if action == "kill":
                process.send_signal(signal.SIGKILL)
                return
            wire.frame(number, 1, encoded({"rev": "0-1"}))
        elif kind == 0 and profile == "subChanges":
            subscriptions.append(json.loads(body)["docIDs"] if body else None)
            wire.frame(number, 1, encoded({}))
            announced = wire.request(changes, [b'[[1,"deep","1-aa"]]'])
        elif kind == 1 and number == announced:
            revision = {"Profile": "rev", "collection": "0", "id": "deep", "rev": "1-aa", "sequence": "1"}
            wire.request(revision, [b'{"a":' * 600 + b"1" + b"}" * 600])
            wire.request(changes, [b"[]"], NO_REPLY)


def serve(connection):
    try:
        converse(upgraded(connection))
    except OSError:
        pass


def accept(server):
    try:
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
    except OSError:
        pass


with socket.create_server(("127.0.0.1", 0)) as server:
    threading.Thread(target=accept, args=(server,), daemon=True).start()
    for action in actions:
        subscriptions.clear()
        process = subprocess.Popen(
            [tool, "sync", "client.db", f"ws://127.0.0.1:{server.getsockname()[1]}/db", "--key-file", "key", "--anonymous",
             "--attempts", "1", "--pull"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        status = process.wait()
        print(json.dumps({"status": status, "subscriptions": subscriptions}), flush=True)
os._exit(0)
