#!/usr/bin/env python3
"""Makes Fixtures/Format/vectors.json: keys, slots, header copies, pages, WAL frames and journal units of format 1, with
every intermediate value, and headers that a reader must reject.

Everything is sealed here, from Documentation/FORMAT.md, with fixed test keys and nonces; Sealite only reads the result.
The same bytes come out on every run.

    make_vectors.py [--check]     without --check the file is written; with it, compared
"""

import hashlib
import hmac
import json
import os
import struct
import sys

sys.dont_write_bytecode = True

from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: E402
from cryptography.hazmat.primitives.keywrap import aes_key_wrap  # noqa: E402

from sealite_reader import (  # noqa: E402
    hkdf, hpke_send, public_key, recovery_key_to_paper, recovery_secret, recovery_wrapping_key, seal, u32, xaes_parts,
)  # fmt: skip

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUTPUT = os.path.join(ROOT, "Fixtures", "Format", "vectors.json")


def fixed(label, length):
    """Bytes that look random and are the same on every run."""
    return hashlib.shake_128(b"Sealite test vectors: " + label.encode()).digest(length)


DATABASE_ID, MASTER_ID, OLD_MASTER_ID = fixed("database id", 16), fixed("master id", 16), fixed("old master id", 16)
MASTER, OLD_MASTER = fixed("master key", 32), fixed("old master key", 32)
PAGE_KEYS = {1: fixed("page key 1", 32), 2: fixed("page key 2", 32)}
LABELS = {
    "main": b"Sealite 1 main", "wal": b"Sealite 1 WAL", "journal": b"Sealite 1 journal",
    "sidecar": b"Sealite 1 sidecar", "freshness": b"Sealite 1 freshness",
}  # fmt: skip


def wrapped(key, nonce, associated, secret):
    text = seal(key, nonce, associated, secret)
    return {"nonce": nonce.hex(), "associatedData": associated.hex(), "sealed": text[:32].hex(), "tag": text[32:].hex()}


# ---------------------------------------------------------------- slots


def slot(name, kind, label, secret, cost=(0, 0, 0)):
    salt = public_key(secret) if kind == 4 else fixed(name + " salt", 32)
    text = label.encode()
    header = fixed(name + " id", 16) + struct.pack("<6I", kind, int(kind == 1), *cost, len(text))
    header += text + bytes(32 - len(text)) + salt
    associated = header + MASTER_ID
    nonce, encapsulated = fixed(name + " nonce", 24), bytes(32)
    behind = bytes(16)
    if kind == 4:
        ephemeral = fixed(name + " ephemeral", 32)
        encapsulated = public_key(ephemeral)
        known = recovery_secret(secret, header[:16])
        context = hpke_send(
            ephemeral, salt, b"Sealite 1 authenticated recovery" + DATABASE_ID,
            (known, b"Sealite 1 recovery secret" + header[:16]))  # fmt: skip
        kek = context.export(b"Sealite 1 authenticated recovery slot key")
        wrapping = recovery_wrapping_key(MASTER, DATABASE_ID, header, MASTER_ID)
        wrapped_secret = aes_key_wrap(wrapping, known)
        nonce, behind = wrapped_secret[:24], wrapped_secret[24:]
        sealed = AESGCM(context.key).encrypt(context.nonce, MASTER, associated)
    else:
        if kind == 1:
            kek = hashlib.scrypt(secret, salt=salt, n=2 ** cost[0], r=cost[1], p=cost[2], dklen=32)
        else:
            kek = hkdf(secret, salt, b"Sealite 1 raw slot key")
        sealed = seal(hkdf(kek, b"", b"Sealite 1 slot wrap"), nonce, associated, MASTER)
    check = hkdf(kek, b"", b"Sealite 1 slot check" + header + MASTER_ID)
    data = header + nonce + sealed + check + encapsulated + behind
    assert len(header) == 104 and len(data) == 256
    vector = {
        "kind": {1: "passphrase", 2: "raw-key", 4: "recovery"}[kind], "label": label, "secret": secret.hex(),
        "logN": cost[0], "r": cost[1], "p": cost[2], "kek": kek.hex(),
        "wrappingKey": "" if kind == 4 else hkdf(kek, b"", b"Sealite 1 slot wrap").hex(),
        "associatedData": associated.hex(), "checkValue": check.hex(), "bytes": data.hex(),
    }  # fmt: skip
    if kind == 4:
        vector.update(
            recoverySecret=known.hex(), secretWrappingKey=wrapping.hex(), wrappedSecret=wrapped_secret.hex(),
            fingerprint=hashlib.sha256(b"Sealite recovery public key" + salt).digest()[:16].hex(),
            ephemeralKey=fixed(name + " ephemeral", 32).hex(), hpkeKey=context.key.hex(),
            hpkeNonce=context.nonce.hex(), paper=recovery_key_to_paper(secret))  # fmt: skip
    return vector


# ---------------------------------------------------------------- headers


def epoch_record(epoch):
    associated = b"Sealite 1 epoch" + DATABASE_ID + MASTER_ID + u32(epoch)
    key = hkdf(MASTER, b"", b"Sealite 1 page key wrap")
    vector = wrapped(key, fixed("epoch %d nonce" % epoch, 24), associated, PAGE_KEYS[epoch])
    vector.update(epoch=epoch, pageKey=PAGE_KEYS[epoch].hex())
    return vector, u32(epoch) + u32(0) + bytes.fromhex(vector["nonce"] + vector["sealed"] + vector["tag"])


def finish(data):
    """MAC and checksum over what was changed."""
    mac = hmac.new(hkdf(MASTER, b"", b"Sealite 1 header MAC"), data[:4008], hashlib.sha256).digest()
    data = data[:4008] + mac + data[4040:4072]
    return data + hashlib.sha256(data).digest()[:24]


def header(name, slots, page_size, generation, freshness, rotating):
    epoch = 2 if rotating else 1
    current, current_bytes = epoch_record(epoch)
    data = b"Sealite\0" + u32(1) + u32(page_size) + DATABASE_ID + MASTER_ID
    data += struct.pack("<QQ", generation, freshness) + u32(1) + u32(epoch) + u32(int(rotating))
    vector = {"name": name, "pageSize": page_size, "generation": generation, "freshness": freshness, "epoch": current}
    if rotating:
        previous, previous_bytes = epoch_record(1)
        associated = b"Sealite 1 bridge" + DATABASE_ID + OLD_MASTER_ID + MASTER_ID
        key = hkdf(OLD_MASTER, b"", b"Sealite 1 next master wrap")
        bridge = wrapped(key, fixed("bridge nonce", 24), associated, MASTER)
        bridge["key"] = key.hex()
        data += u32(1) + OLD_MASTER_ID + bytes(16) + current_bytes + previous_bytes
        data += bytes.fromhex(bridge["nonce"] + bridge["sealed"] + bridge["tag"])
        vector.update(previousEpoch=previous, bridge=bridge)
    else:
        data += u32(0) + bytes(16) + bytes(16) + current_bytes + bytes(80) + bytes(72)
    data += bytes(40) + b"".join(bytes.fromhex(s["bytes"]) for s in slots)
    data += bytes(4008 - len(data))
    data = finish(data + bytes(88))
    vector.update(mac=data[4008:4040].hex(), checksum=data[4072:].hex(), bytes=data.hex())
    assert len(data) == 4096
    return vector


def rejections(good):
    """Changes of a good header copy, with checksum and MAC made to fit again, and the error each must give."""
    cases = [
        ("another magic", "not-sealed", [(0, b"sealite\0")]),
        ("format version 2", "unsupported-version", [(8, u32(2))]),
        ("format version 0", "unsupported-version", [(8, u32(0))]),
        ("page size 512", "damaged-header", [(12, u32(512))]),
        ("page size 131072", "damaged-header", [(12, u32(131072))]),
        ("page size 5000", "damaged-header", [(12, u32(5000))]),
        ("generation 0", "damaged-header", [(48, bytes(8))]),
        ("cipher 2", "unsupported-version", [(64, u32(2))]),
        ("epoch 0", "damaged-header", [(68, u32(0)), (112, u32(0))]),
        ("an epoch that its record contradicts", "damaged-header", [(68, u32(9))]),
        ("rotation state 2", "unsupported-version", [(72, u32(2))]),
        ("a rotation without its record", "damaged-header", [(72, u32(1)), (76, u32(1))]),
        ("a previous epoch without a rotation", "damaged-header", [(76, u32(1))]),
        ("a bridge without a rotation", "damaged-header", [(300, b"\1")]),
        ("bytes behind the rotation fields", "damaged-header", [(111, b"\1")]),
        ("bytes behind the bridge", "damaged-header", [(344, b"\1")]),
        ("bytes in an epoch record's gap", "damaged-header", [(116, b"\1")]),
        ("slot kind 3, which was removed", "unsupported-version", [(896 + 16, u32(3))]),
        ("slot kind 5", "unsupported-version", [(384 + 16, u32(5))]),
        ("slot kind 4294967295", "unsupported-version", [(384 + 16, b"\xff" * 4)]),
        ("a KDF on a raw-key slot", "unsupported-version", [(384 + 20, u32(1))]),
        ("a cost on a raw-key slot", "unsupported-version", [(384 + 28, u32(8))]),
        ("KDF 2 on a passphrase slot", "unsupported-version", [(640 + 20, u32(2))]),
        ("log2 N 0", "damaged-header", [(640 + 24, u32(0))]),
        ("log2 N 63", "damaged-header", [(640 + 24, u32(63))]),
        ("log2 N 4294967295", "damaged-header", [(640 + 24, b"\xff" * 4)]),
        ("r 0", "damaged-header", [(640 + 28, u32(0))]),
        ("p 0", "damaged-header", [(640 + 32, u32(0))]),
        ("a label of 33 bytes", "damaged-header", [(384 + 36, u32(33))]),
        ("a label of 4294967295 bytes", "damaged-header", [(384 + 36, b"\xff" * 4)]),
        ("a label that isn't UTF-8", "damaged-header", [(384 + 40, b"\xff\xfe")]),
        ("a label with NUL", "damaged-header", [(384 + 41, b"\0")]),
        ("bytes behind a label", "damaged-header", [(384 + 36, u32(1))]),
        ("a label twice", "damaged-header", [(640 + 36, good[384 + 36 : 384 + 72])]),
        ("a slot id twice", "damaged-header", [(640, good[384:400])]),
        ("bytes behind a slot", "damaged-header", [(384 + 240, b"\1")]),
        ("an encapsulated key on a raw-key slot", "damaged-header", [(384 + 208, b"\1")]),
        ("a KDF on a recovery slot", "unsupported-version", [(896 + 20, u32(1))]),
        ("bytes in an empty slot", "damaged-header", [(1152 + 200, b"\1")]),
        ("no slot", "damaged-header", [(384, bytes(3072))]),
        ("bytes behind the slots", "damaged-header", [(3456, b"\1")]),
        ("bytes behind the MAC", "damaged-header", [(4040, b"\1")]),
    ]
    vectors = []
    for name, expect, changes in cases:
        data = bytearray(good)
        for offset, value in changes:
            data[offset : offset + len(value)] = value
        data = bytes(data)
        authenticated = data[:4008] if data[4040:4072] == bytes(32) else None
        data = finish(data)
        if authenticated is None:
            data = data[:4040] + b"\1" + data[4041:4072]
            data += hashlib.sha256(data).digest()[:24]
        changed = [
            {"offset": offset, "bytes": value.hex()} for offset, value in changes
        ] + [{"offset": 4008, "bytes": data[4008:].hex()}]
        vectors.append({"name": name, "expect": expect, "changes": changed})
    return vectors


# ---------------------------------------------------------------- pages, frames, units


def sealed_text(use, kind, number, epoch, spare, text, nonce, extra=b""):
    key = hkdf(PAGE_KEYS[epoch], DATABASE_ID, LABELS[use])
    associated = DATABASE_ID + u32(kind) + u32(number) + u32(epoch) + u32(spare) + extra
    derived, short = xaes_parts(key, nonce)
    text_and_tag = seal(key, nonce, associated, text)
    data = text_and_tag[:-16] + nonce + text_and_tag[-16:] + u32(epoch) + u32(spare)
    return {
        "number": number, "epoch": epoch, "spare": spare, "key": key.hex(), "nonce": nonce.hex(),
        "derivedKey": derived.hex(), "derivedNonce": short.hex(), "associatedData": associated.hex(),
        "text": text.hex(), "tag": text_and_tag[-16:].hex(), "sealed": data.hex(),
    }  # fmt: skip


def pages():
    size = 1024
    head = bytearray(b"SQLite format 3\0" + struct.pack(">H", size) + bytes([1, 1, 48, 64, 32, 32]))
    head += bytes(size - 48 - len(head))
    head[27] = head[31] = head[95] = 1
    cases = [(1, 1, 77, bytes(head)), (2, 1, 0, fixed("page 2", size - 48)), (2, 2, 0, fixed("page 2", size - 48))]
    cases.append((4294967294, 1, 0, bytes(size - 48)))
    return [
        sealed_text("main", 1, number, epoch, spare, text, fixed("page nonce %d" % index, 24))
        for index, (number, epoch, spare, text) in enumerate(cases)
    ]


def wal_checksum(data, start=(0, 0)):
    first, second = start
    words = struct.unpack("<%dI" % (len(data) // 4), data)
    for left, right in zip(words[::2], words[1::2]):
        first = (first + left + second) & 0xFFFFFFFF
        second = (second + right + first) & 0xFFFFFFFF
    return first, second


def wal():
    size = 1024
    salts = fixed("WAL salts", 8)
    rest = struct.pack(">II", size, 3) + salts
    plain = struct.pack(">II", 0x377F0682, 3007000) + rest
    running = wal_checksum(plain)
    plain += struct.pack(">II", *running)
    stored = struct.pack(">II", 0x377F0682, 0x5365616C) + rest
    stored += struct.pack(">II", *wal_checksum(stored))
    frames = []
    for index, (number, commit, serial) in enumerate([(1, 0, 78), (2, 2, 0), (5, 5, 0)]):
        page = fixed("frame %d" % index, size - 48) + bytes(48)
        head = struct.pack(">II", number, commit)
        running = wal_checksum(page, wal_checksum(head, running))
        head += salts + struct.pack(">II", *running)
        frame = sealed_text(
            "wal", 2, index, 1, serial, head + page[:-48], fixed("frame nonce %d" % index, 24), extra=stored)  # fmt: skip
        frame.update(pageNumber=number, commitPageCount=commit)
        frames.append(frame)
    return {"pageSize": size, "plainHeader": plain.hex(), "storedHeader": stored.hex(), "frames": frames}


def journal():
    journal_id, serial = fixed("journal id", 16), 77
    front = b"\0SealJn1" + journal_id + u32(serial)
    preamble = front + hashlib.sha256(front).digest()[:4]
    units = []
    cases = [(0, 0, 4000, 0), (0, 4000, 1036, 0), (1, 0, 0, 2), (0, 0, 12, 2), (2, 5000, 0, 4)]
    for index, (kind, offset, length, synced) in enumerate(cases):
        text = journal_id + struct.pack("<QIIII", offset, length, synced, serial, kind) + bytes(8)
        payload = fixed("unit %d" % index, length)
        text += payload + bytes(4000 - length)
        unit = sealed_text("journal", 3, index, 1, 0, text, fixed("unit nonce %d" % index, 24))
        unit.update(kind=kind, logicalOffset=offset, payloadByteCount=length, synced=synced)
        units.append(unit)
    return {"id": journal_id.hex(), "serial": serial, "preamble": preamble.hex(), "units": units}


def freshness():
    """§15: the MAC of a freshness record."""
    application_key, digest = fixed("application key", 32), fixed("freshness digest", 32)
    epoch, counter, generation, serial = 2, 2**40, 12, 78
    key = hkdf(application_key, b"", b"Sealite 1 application freshness record")
    message = b"Sealite 2 freshness record" + DATABASE_ID + u32(epoch)
    message += struct.pack("<QQ", counter, generation) + u32(serial) + digest
    mac = hmac.new(key, message, hashlib.sha256).hexdigest()
    record = {
        "format": "sealite freshness 2", "databaseID": DATABASE_ID.hex(), "epoch": epoch, "counter": str(counter),
        "generation": str(generation), "serial": serial, "digest": digest.hex(), "mac": mac,
    }  # fmt: skip
    return {
        "applicationKey": application_key.hex(), "macKey": key.hex(), "message": message.hex(),
        "record": json.dumps(record, indent=2) + "\n",
    }  # fmt: skip


def vectors():
    raw = slot("raw", 2, "raw key", fixed("raw key", 32))
    passphrase = slot("passphrase", 1, "Käthe", "Grüße aus Köln".encode(), (4, 8, 2))
    recovery = slot("authenticated recovery", 4, "Tresor", fixed("authenticated recovery private key", 32))
    slots = [raw, passphrase, recovery]
    whole = header("three slots", slots, 1024, 3, 5, rotating=False)
    derived = {name: hkdf(MASTER, b"", label).hex() for name, label in (
        ("headerMAC", b"Sealite 1 header MAC"), ("pageKeyWrap", b"Sealite 1 page key wrap"),
        ("nextMasterWrap", b"Sealite 1 next master wrap"))}  # fmt: skip
    uses = {
        str(epoch): {use: hkdf(key, DATABASE_ID, label).hex() for use, label in LABELS.items()}
        for epoch, key in PAGE_KEYS.items()
    }
    return {
        "description": "Sealite format 1, Documentation/FORMAT.md. Binary values in hex.",
        "madeBy": "Tests/Interop/make_vectors.py, with Python's cryptography; test keys only",
        "keys": {
            "databaseID": DATABASE_ID.hex(), "masterID": MASTER_ID.hex(), "master": MASTER.hex(), "fromMaster": derived,
            "previousMasterID": OLD_MASTER_ID.hex(), "previousMaster": OLD_MASTER.hex(),
            "pageKeys": {str(epoch): key.hex() for epoch, key in PAGE_KEYS.items()}, "fromPageKeys": uses,
        },
        "slots": slots,
        "headers": [whole, header("a rotation under way", [raw], 65536, 12, 2**40, rotating=True)],
        "headerRejections": rejections(bytes.fromhex(whole["bytes"])),
        "pages": pages(),
        "wal": wal(),
        "journal": journal(),
        "freshness": freshness(),
    }  # fmt: skip


def main():
    text = json.dumps(vectors(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    if "--check" in sys.argv:
        with open(OUTPUT, encoding="utf-8") as file:
            same = file.read() == text
        print("vectors.json: %s" % ("as made" if same else "differs from what this script makes"))
        return 0 if same else 1
    os.makedirs(os.path.dirname(OUTPUT), exist_ok=True)
    with open(OUTPUT, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
