"""A peer that speaks BLIP over WebSocket and means harm, for the tests of `sealite sync` and `sealite serve`.

hostile_peer.py client|listener ATTACK TOOL DIGEST runs the tool in the current folder as the side that is named, attacks it, and
prints the tool's peak memory in MiB, its exit status, and how often it was asked for an attachment. DIGEST names an attachment of
the tool's database.
"""

import base64
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib

side, attack, tool, digest = sys.argv[1:]
noise = os.urandom(1 << 20)
MORE, NO_REPLY, COMPRESSED = 0x40, 0x20, 0x08


def varint(number):
    data = bytearray()
    while number >= 0x80:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(data + bytes([number]))


def read_varint(data, index=0):
    number = shift = 0
    while True:
        byte = data[index]
        number |= (byte & 0x7F) << shift
        index, shift = index + 1, shift + 7
        if byte < 0x80:
            return number, index


def encoded(properties):
    text = b"".join(f"{name}\0{value}\0".encode() for name, value in properties.items())
    return varint(len(text)) + text


class Wire:
    """A connection after its upgrade."""

    def __init__(self, connection, isClient):
        self.connection, self.isClient = connection, isClient
        self.rest, self.crc, self.number = b"", 0, 0
        self.deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        self.inflate = zlib.decompressobj(-15)
        self.acknowledged = {}
        self.isOver = False
        self.news = threading.Condition()
        self.turn = threading.Lock()

    def send(self, opcode, data):
        mask = 0x80 if self.isClient else 0
        head = bytes([0x80 | opcode])
        if len(data) < 126:
            head += bytes([mask | len(data)])
        else:
            head += bytes([mask | 127]) + len(data).to_bytes(8, "big")
        # A mask of zeros changes nothing.
        self.connection.sendall(head + (bytes(4) if mask else b"") + data)

    def frame(self, number, flags, payload):
        with self.turn:
            self.crc = zlib.crc32(payload, self.crc)
            if flags & COMPRESSED:
                payload = (self.deflate.compress(payload) + self.deflate.flush(zlib.Z_SYNC_FLUSH))[:-4]
            self.send(2, varint(number) + varint(flags) + payload + self.crc.to_bytes(4, "big"))

    def request(self, properties, pieces=(b"",), flags=0, isEnded=True):
        """Sends a request whose body comes in pieces."""
        self.number += 1
        pieces, first = iter(pieces), encoded(properties)
        payload = first + next(pieces, b"")
        for piece in pieces:
            self.frame(self.number, flags | MORE, payload)
            payload = piece
        self.frame(self.number, flags | (0 if isEnded else MORE), payload)
        return self.number

    def take(self, count):
        while len(self.rest) < count:
            data = self.connection.recv(65_536)
            if not data:
                raise ConnectionError
            self.rest += data
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def receive(self):
        """The next BLIP frame that is no acknowledgement: number, flags, payload."""
        while True:
            opcode, length = self.take(2)
            isMasked, length = length & 0x80, length & 0x7F
            if length > 125:
                length = int.from_bytes(self.take(2 if length == 126 else 8), "big")
            mask = self.take(4) if isMasked else bytes(4)
            data = self.take(length)
            if any(mask):
                size = len(data)
                key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
                data = (int.from_bytes(data, "big") ^ key).to_bytes(size, "big")
            if opcode & 0x0F == 8:
                raise ConnectionError
            if opcode & 0x0F != 2:
                continue
            number, index = read_varint(data)
            flags, index = read_varint(data, index)
            if flags & 7 in (4, 5):
                count, _ = read_varint(data, index)
                with self.news:
                    self.acknowledged[number] = count
                    self.news.notify_all()
                continue
            payload = data[index:-4]
            if flags & COMPRESSED:
                payload = self.inflate.decompress(payload + b"\0\0\xff\xff")
            return number, flags, payload


def messages(wire):
    """The messages that come: number, type, properties, body."""
    unfinished = {}
    try:
        while True:
            number, flags, payload = wire.receive()
            payload = unfinished.pop((number, flags & 7), b"") + payload
            if flags & MORE:
                unfinished[number, flags & 7] = payload
                continue
            length, index = read_varint(payload)
            words = payload[index : index + length].decode().split("\0")
            yield number, flags & 7, dict(zip(words[::2], words[1::2])), payload[index + length :]
    except OSError:
        with wire.news:
            wire.isOver = True
            wire.news.notify_all()


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


def upgraded(connection, request=None):
    """Asks for the upgrade, or answers it."""
    if request:
        connection.sendall(request)
    text = b""
    while not text.endswith(b"\r\n\r\n"):
        text += connection.recv(1)
    if request:
        if not text.startswith(b"HTTP/1.1 101 "):
            sys.exit(f"the tool refuses the upgrade: {text}")
        return Wire(connection, True)
    key = re.search(rb"(?i)sec-websocket-key: *(\S+)", text).group(1)
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    connection.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    return Wire(connection, False)


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
        [tool, "serve", "server.db", "--key-file", "key", "--plain", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    url = json.loads(process.stdout.readline())["urls"][0]
    host, port, path = re.match(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
    connection = socket.create_connection((host, int(port)))
    wire = upgraded(
        connection,
        f"GET {path}/_blipsync HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n\r\n".encode())
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
