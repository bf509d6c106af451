"""BLIP over WebSocket for the attackers in this folder: frames, messages and the upgrade, and nothing that keeps to limits."""

import base64
import hashlib
import re
import socket
import sys
import threading
import zlib

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


def upgrade(connection, path, headers=""):
    """Asks a listener for the upgrade; ends the program if it is refused."""
    connection.sendall((
        f"GET {path}/_blipsync HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n{headers}\r\n").encode())
    text = b""
    while not text.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            break
        text += byte
    if not text.startswith(b"HTTP/1.1 101 "):
        sys.exit(f"the tool refuses the upgrade: {text}")
    return Wire(connection, True)


def upgraded(connection):
    """Answers a client's request for the upgrade."""
    text = b""
    while not text.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            raise ConnectionError("the client has left")
        text += byte
    key = re.search(rb"(?i)sec-websocket-key: *(\S+)", text).group(1)
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    connection.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    return Wire(connection, False)


def connect(port, path, headers=""):
    """Opens a WebSocket connection to a listener on this machine."""
    return upgrade(socket.create_connection(("127.0.0.1", port)), path, headers)
