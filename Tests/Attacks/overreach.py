"""A server that changes more than `sealite sync` asked it for.

overreach.py TOOL WAY is the server of the tool, which pulls the collection "notes" of client.db in the current folder. WAY is how:

- doc-id: the document "wanted" only;
- channel: the channel "wanted" only;
- access: everything, and the server says that access to documents was lost, to "mine" too, which it never had.

Prints one JSON object: how the revisions that weren't asked for were answered, and the exit status of the tool.
"""

import json
import os
import socket
import subprocess
import sys

from blip import NO_REPLY, encoded, messages, upgraded

tool, way = sys.argv[1:]
# Seconds after which a silent tool counts as gone.
TIMEOUT = 120
OPTIONS = {"doc-id": ["--doc-id", "wanted"], "channel": ["--channel", "wanted"], "access": []}[way]


class Peer:
    def __init__(self, wire):
        self.wire, self.incoming, self.requests = wire, messages(wire), []

    def request(self, profile, body=b"", flags=0, **properties):
        return self.wire.request({"Profile": profile, "collection": "0", **properties}, [body], flags)

    def revision(self, id, rev, sequence, body, **more):
        return self.request("rev", json.dumps(body).encode(), id=id, rev=rev, sequence=str(sequence), **more)

    def reply(self, number, body=b"", **properties):
        self.wire.frame(number, 1, encoded(properties) + body)

    def answer(self, number):
        """The answer to a request: its error code, or its body. Requests of the tool that come meanwhile are kept."""
        for found, kind, properties, body in self.incoming:
            if kind == 0:
                self.requests.append((found, properties))
            elif found == number:
                return properties.get("Error-Code") if kind == 2 else body.decode()
        return "closed"

    def next(self, *profiles):
        """The number of the tool's next request with one of the profiles; None once it has gone."""
        while True:
            for index, (number, properties) in enumerate(self.requests):
                if properties.get("Profile") in profiles:
                    return self.requests.pop(index)[0]
            for found, kind, properties, body in self.incoming:
                if kind == 0:
                    self.requests.append((found, properties))
                    break
            else:
                return None


with socket.create_server(("127.0.0.1", 0)) as server:
    url = f"ws://127.0.0.1:{server.getsockname()[1]}/db"
    process = subprocess.Popen(
        [tool, "sync", "client.db", url, "--key-file", "key", "--anonymous", "--attempts", "1", "--collection", "notes",
         "--pull", "--json"] + OPTIONS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    server.settimeout(TIMEOUT)
    connection, _ = server.accept()
    connection.settimeout(TIMEOUT)
    peer = Peer(upgraded(connection))
    peer.reply(peer.next("getCollections"), b"[{}]")
    peer.reply(peer.next("subChanges"))
    result = {"unasked": []}
    announced = peer.answer(peer.request("changes", b'[[1,"wanted","1-aa"],[2,"known","1-aa"]]'))
    result["announced"] = announced
    # Before anything was stored: what was announced and not asked for, what never was, under the sequence of another one,
    # and deletions.
    for id, rev, sequence, more in [
        ("new", "1-aa", 9, {}), ("mine", "9-aa", 9, {}), ("mine", "9-aa", 1, {}), ("mine", "9-aa", 2, {}),
        ("mine", "9-bb", 1, {"deleted": "1"}), ("mine", "9-cc", 1, {"replacedRev": "1-aa"}),
    ]:
        result["unasked"].append(peer.answer(peer.revision(id, rev, sequence, {"t": "evil"}, **more)))
    peer.request("rev", b'{"t":"evil"}', NO_REPLY, id="mine", rev="9-dd", sequence="1")
    result["wanted"] = peer.answer(peer.revision("wanted", "1-aa", 1, {"t": "good"}))
    result["again"] = peer.answer(peer.revision("wanted", "9-aa", 1, {"t": "evil"}))
    if isinstance((json.loads(announced) + [0])[1], list):
        peer.answer(peer.revision("known", "1-aa", 2, {"t": "good"}))
    if way == "access":
        lost = b'[[3,"known","1-aa",2],[4,"mine","1-aa",2],[5,"mine","9-aa",4],[6,"never","1-aa",2]]'
        peer.answer(peer.request("changes", lost))
    peer.request("changes", b"[]", NO_REPLY)
    while (number := peer.next("setCheckpoint")) is not None:
        peer.reply(number, rev="0-1")
try:
    out, _ = process.communicate(timeout=TIMEOUT)
    result["status"] = process.returncode
    result["summary"] = json.loads(out.splitlines()[-1])
except subprocess.TimeoutExpired:
    process.kill()
    result["status"] = "stuck"
print(json.dumps(result), flush=True)
os._exit(0)
