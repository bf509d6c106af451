"""Asks `sealite serve` and `sealite sync` for attachments that the peer has no right to.

foreign_blobs.py listener|client TOOL DIRECTION FOREIGN OWN CONTENT plays the peer of the tool, which runs in the current folder and
replicates the collection "notes" alone, in DIRECTION (push or pull, as the tool sees it; a listener ignores it). FOREIGN is the digest of
an attachment that only a document of another collection refers to, OWN that of one of a document of "notes" whose content is CONTENT.
Prints one JSON object with what the tool gave away.
"""

import base64
import hashlib
import json
import os
import re
import socket
import subprocess
import sys

from blip import NO_REPLY, Wire, encoded, messages, upgrade

side, tool, direction, foreign, own, content = sys.argv[1:]
# Seconds after which a silent tool counts as gone.
TIMEOUT = 120
UNKNOWN = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="
NONCE = bytes(range(20))
PROOF = b"sha1-" + base64.b64encode(hashlib.sha1(bytes([len(NONCE)]) + NONCE + content.encode()).digest())


class Peer:
    """A conversation, one thing after the other."""

    def __init__(self, wire):
        self.wire, self.incoming = wire, messages(wire)
        self.requests = []

    def request(self, profile, body=b"", flags=0, **properties):
        return self.wire.request({"Profile": profile, "collection": "0", **properties}, [body], flags)

    def reply(self, number, body=b"", **properties):
        self.wire.frame(number, 1, encoded(properties) + body)

    def refuse(self, number, code):
        self.wire.frame(number, 2, encoded({"Error-Domain": "HTTP", "Error-Code": str(code)}) + b"no")

    def wait(self, number):
        """The answer to a request: its error, or its body. Requests of the tool that come meanwhile are kept."""
        for found, kind, properties, body in self.incoming:
            if kind == 0:
                self.requests.append((found, properties, body))
            elif found == number:
                return f"{properties.get('Error-Code')} {body.decode()}" if kind == 2 else body
        return "closed"

    def next(self, *profiles):
        """The next request of the tool with one of the profiles; nothing once it has gone."""
        while True:
            for index, (number, properties, body) in enumerate(self.requests):
                if properties.get("Profile") in profiles:
                    return self.requests.pop(index)
            for found, kind, properties, body in self.incoming:
                if kind == 0:
                    self.requests.append((found, properties, body))
                    break
            else:
                return None

    def content(self, digest):
        return self.wait(self.request("getAttachment", digest=digest, docID="a"))

    def proof(self, digest):
        return self.wait(self.request("proveAttachment", NONCE, digest=digest))


def probe(peer):
    """What the tool answers about the foreign attachment, and about one that doesn't exist."""
    answers = [[ask(digest) for ask in (peer.content, peer.proof)] for digest in (foreign, UNKNOWN)]
    isSilent = answers[0] == answers[1] and all(isinstance(answer, str) for answer in answers[0])
    return "silent" if isSilent else repr(answers)


def pushed(peer, digest, id, sequence):
    """Pushes a revision that refers to an attachment without having it: whether the content was asked for, and the answer."""
    blob = {"@type": "blob", "digest": digest, "length": len(content)}
    revision = peer.request("rev", json.dumps({"p": blob}).encode(), id=id, rev="1-aa", sequence=sequence, noconflicts="true")
    asked = False
    for found, kind, properties, body in peer.incoming:
        if kind == 0 and properties.get("Profile") == "getAttachment":
            asked = True
            peer.refuse(found, 404)
        elif kind != 0 and found == revision:
            return [asked, properties.get("Error-Code"), body.decode()]
    return "closed"


def proofs(peer):
    """How often the tool proves the same content."""
    answers = [peer.proof(own) for _ in range(4_200)]
    return len([answer for answer in answers if answer == PROOF])


def right(answer):
    return answer == content.encode()


def attack_listener():
    process = subprocess.Popen(
        [tool, "serve", "server.db", "--key-file", "key", "--plain", "--anyone", "--json", "--collection", "notes"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    url = json.loads(process.stdout.readline())["urls"][0]
    host, port, path = re.match(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
    connection = socket.create_connection((host, int(port)), TIMEOUT)
    peer = Peer(upgrade(connection, path))
    result = {}
    names = b'{"checkpoint_ids":["cp","cp2"],"collections":["notes","secret"]}'
    result["collections"] = peer.wait(peer.wire.request({"Profile": "getCollections"}, [names])).decode()
    result["atFirst"] = probe(peer)
    result["ownAtFirst"] = right(peer.content(own))
    result["pushedForeign"] = pushed(peer, foreign, "x", "1")
    result["pushedUnknown"] = pushed(peer, UNKNOWN, "y", "2")
    result["afterPush"] = probe(peer)
    # Pulls everything, the revisions that it pushed too if they had been stored.
    peer.request("subChanges", batch="200")
    number, properties, body = peer.next("changes")
    rows = json.loads(body)
    result["announced"] = [row[1] for row in rows]
    peer.reply(number, json.dumps([[] for _ in rows]).encode())
    bodies = []
    for _ in rows:
        number, properties, body = peer.next("rev")
        bodies.append(body.decode())
    result["namesForeign"] = any(foreign in body for body in bodies)
    result["own"], result["proofs"] = right(peer.content(own)), proofs(peer)
    result["atLast"] = probe(peer)
    process.terminate()
    return process, result


def attack_client():
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"ws://127.0.0.1:{server.getsockname()[1]}/db"
        process = subprocess.Popen(
            [tool, "sync", "client.db", url, "--key-file", "key", "--anonymous", "--attempts", "1", "--collection", "notes",
             f"--{direction}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.settimeout(TIMEOUT)
        connection, _ = server.accept()
        connection.settimeout(TIMEOUT)
        peer = Peer(accepted(connection))
        result = {}
        number, _, _ = peer.next("getCollections")
        peer.reply(number, b"[{}]")
        if direction == "push":
            number, _, _ = peer.next("proposeChanges")
            result["atFirst"], result["ownAtFirst"] = probe(peer), right(peer.content(own))
            peer.reply(number, b"[]")
            number, properties, body = peer.next("rev")
            result["namesForeign"] = foreign in body.decode()
            result["own"], result["proofs"] = right(peer.content(own)), proofs(peer)
            result["atLast"] = probe(peer)
            peer.reply(number)
        else:
            number, _, _ = peer.next("subChanges")
            peer.reply(number)
            result["atFirst"], result["ownAtFirst"] = probe(peer), right(peer.content(own))
            announced = peer.request("changes", b'[[1,"x","1-aa"],[2,"y","1-aa"]]')
            peer.wait(announced)
            result["pushedForeign"] = pushed(peer, foreign, "x", "1")
            result["pushedUnknown"] = pushed(peer, UNKNOWN, "y", "2")
            result["afterPush"], result["own"] = probe(peer), right(peer.content(own))
            peer.request("changes", b"[]", NO_REPLY)
        while (request := peer.next("setCheckpoint", "norev")) is not None:
            peer.reply(request[0], rev="0-1")
        return process, result


def accepted(connection):
    """Answers the upgrade."""
    text = b""
    while not text.endswith(b"\r\n\r\n"):
        text += connection.recv(1)
    key = re.search(rb"(?i)sec-websocket-key: *(\S+)", text).group(1)
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    connection.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    return Wire(connection, False)


process, result = attack_listener() if side == "listener" else attack_client()
try:
    result["status"] = process.wait(TIMEOUT)
except subprocess.TimeoutExpired:
    process.kill()
    result["status"] = "stuck"
print(json.dumps(result), flush=True)
os._exit(0)
