#!/usr/bin/env python3
"""Reads a sealed database of format 1 and writes it as a plain SQLite file.

Written from Documentation/FORMAT.md; it shares no code with Sealite. Section numbers are that document's.
It needs Python 3.9 or later and the package "cryptography" (PyPI, or Debian's python3-cryptography).

    sealite_reader.py notes.db plain.db --raw-key 000102...
    sealite_reader.py notes.db plain.db --passphrase 'correct horse battery staple'
    sealite_reader.py notes.db plain.db --recovery-key LJNF-UWS2-...

Secrets on a command line are for test keys only.
"""

import argparse
import base64
import hashlib
import hmac
import os
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.keywrap import InvalidUnwrap, aes_key_unwrap
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


class Rejected(Exception):
    """What the format says a reader must not accept. The first word is the class of the error."""


def u32(value):
    return struct.pack("<I", value)


def read_u32(data, offset):
    return struct.unpack_from("<I", data, offset)[0]


def read_u64(data, offset):
    return struct.unpack_from("<Q", data, offset)[0]


def big_u32(data, offset):
    return struct.unpack_from(">I", data, offset)[0]


# ---------------------------------------------------------------- §1 primitives


def hkdf_extract(salt, key):
    return hmac.new(salt or bytes(32), key, hashlib.sha256).digest()


def hkdf_expand(pseudorandom_key, info, length):
    block, output, counter = b"", b"", 1
    while len(output) < length:
        block = hmac.new(pseudorandom_key, block + info + bytes([counter]), hashlib.sha256).digest()
        output += block
        counter += 1
    return output[:length]


def hkdf(key, salt, info):
    return hkdf_expand(hkdf_extract(salt, key), info, 32)


def xaes_parts(key, nonce):
    """The AES-256 key and the 12-byte nonce that XAES-256-GCM (C2SP) makes of a key and 24 bytes."""
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    last = encryptor.update(bytes(16))
    shifted = int.from_bytes(last, "big") << 1
    if shifted >> 128:
        shifted = (shifted & ((1 << 128) - 1)) ^ 0x87
    mask = shifted.to_bytes(16, "big")
    blocks = [bytes([0, counter, 0x58, 0]) + nonce[:12] for counter in (1, 2)]
    derived = b"".join(encryptor.update(bytes(a ^ b for a, b in zip(block, mask))) for block in blocks)
    return derived, nonce[12:24]


def seal(key, nonce, associated_data, plaintext):
    """Returns the sealed text with its tag behind it."""
    derived, short = xaes_parts(key, nonce)
    return AESGCM(derived).encrypt(short, plaintext, associated_data)


def open_sealed(key, nonce, associated_data, sealed, tag):
    """Returns the text, or None where the tag doesn't fit."""
    derived, short = xaes_parts(key, nonce)
    try:
        return AESGCM(derived).decrypt(short, sealed + tag, associated_data)
    except InvalidTag:
        return None


# ---------------------------------------------------------------- §5.3 and §5.4 HPKE, PSK and base mode


class HPKE:
    """RFC 9180: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, one message: base mode, or PSK mode with a pair (psk, psk_id)."""

    KEM = b"KEM" + bytes([0x00, 0x20])
    SUITE = b"HPKE" + bytes([0x00, 0x20, 0x00, 0x01, 0x00, 0x02])

    def __init__(self, shared, encapsulated, public, info, shared_key=None):
        pseudorandom = self.extract(self.KEM, b"", b"eae_prk", shared)
        secret = self.expand(self.KEM, pseudorandom, b"shared_secret", encapsulated + public, 32)
        context = (
            (b"\1" if shared_key else b"\0")
            + self.extract(self.SUITE, b"", b"psk_id_hash", shared_key[1] if shared_key else b"")
            + self.extract(self.SUITE, b"", b"info_hash", info)
        )
        inner = self.extract(self.SUITE, secret, b"secret", shared_key[0] if shared_key else b"")
        self.key = self.expand(self.SUITE, inner, b"key", context, 32)
        self.nonce = self.expand(self.SUITE, inner, b"base_nonce", context, 12)
        self.exporter = self.expand(self.SUITE, inner, b"exp", context, 32)

    @staticmethod
    def extract(suite, salt, label, key):
        return hkdf_extract(salt, b"HPKE-v1" + suite + label + key)

    @staticmethod
    def expand(suite, key, label, info, length):
        return hkdf_expand(key, struct.pack(">H", length) + b"HPKE-v1" + suite + label + info, length)

    def export(self, context):
        return self.expand(self.SUITE, self.exporter, b"sec", context, 32)


def public_key(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def hpke_receive(private, encapsulated, info, shared_key=None):
    shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(encapsulated))
    return HPKE(shared, encapsulated, public_key(private), info, shared_key)


def hpke_send(ephemeral, public, info, shared_key=None):
    shared = X25519PrivateKey.from_private_bytes(ephemeral).exchange(X25519PublicKey.from_public_bytes(public))
    return HPKE(shared, public_key(ephemeral), public, info, shared_key)


def recovery_secret(private, slot_id):
    """§5.3: what a recovery slot is sealed with beside the public key."""
    return hkdf(private, slot_id, b"Sealite 1 recovery secret")


def recovery_wrapping_key(master, database_id, slot_header, master_id):
    return hkdf(master, b"", b"Sealite 1 recovery secret wrap" + database_id + slot_header + master_id)


PAPER_LABEL = b"Sealite recovery key 2"


def recovery_key_from_paper(text):
    """§5.4: the private key."""
    letters = "".join(c for c in text.upper() if c not in " -\t\r\n")
    data = base64.b32decode(letters + "=" * (-len(letters) % 8))
    if len(data) == 35 and hashlib.sha256(PAPER_LABEL + data[:32]).digest()[:3] == data[32:]:
        return data[:32]
    raise Rejected("wrong-key: the recovery key was mistyped")


def recovery_key_to_paper(private):
    check = hashlib.sha256(PAPER_LABEL + private).digest()[:3]
    letters = base64.b32encode(private + check).decode()
    return "-".join(letters[i : i + 4] for i in range(0, 56, 4))


# ---------------------------------------------------------------- §4 header


class Header:
    """One copy, its checksum right and its fields acceptable."""

    def __init__(self, data):
        if data[:8] != b"Sealite\0":
            raise Rejected("not-sealed: no magic")
        if hashlib.sha256(data[:4072]).digest()[:24] != data[4072:4096]:
            raise Rejected("damaged-header: the checksum doesn't fit")
        if read_u32(data, 8) != 1:
            raise Rejected("unsupported-version: format %d" % read_u32(data, 8))
        if read_u32(data, 64) != 1:
            raise Rejected("unsupported-version: cipher %d" % read_u32(data, 64))
        state = read_u32(data, 72)
        if state > 1:
            raise Rejected("unsupported-version: rotation state %d" % state)
        self.data = data
        self.page_size = read_u32(data, 12)
        if self.page_size not in (1024, 2048, 4096, 8192, 16384, 32768, 65536):
            raise Rejected("damaged-header: a page size of %d" % self.page_size)
        self.database_id = data[16:32]
        self.master_id = data[32:48]
        self.generation = read_u64(data, 48)
        if self.generation == 0:
            raise Rejected("damaged-header: generation 0")
        for start, end in ((96, 112), (344, 384), (3456, 3936), (4040, 4072)):
            if any(data[start:end]):
                raise Rejected("damaged-header: bytes where the format has zeros")
        self.epochs = [self.epoch_record(112, read_u32(data, 68))]
        self.previous_master_id = self.bridge = None
        if state == 1:
            self.epochs.append(self.epoch_record(192, read_u32(data, 76)))
            self.previous_master_id, self.bridge = data[80:96], data[272:344]
        elif any(data[76:96]) or any(data[192:344]):
            raise Rejected("damaged-header: rotation fields without a rotation")
        self.slots = [self.slot(data[384 + 256 * i : 640 + 256 * i]) for i in range(12)]
        used = [slot for slot in self.slots if slot]
        if not used:
            raise Rejected("damaged-header: no key slot")
        labels = [slot["label"] for slot in used if slot["label"]]
        if len(set(labels)) != len(labels) or len({slot["id"] for slot in used}) != len(used):
            raise Rejected("damaged-header: two slots with one label or id")

    def epoch_record(self, offset, epoch):
        record = self.data[offset : offset + 80]
        if epoch == 0 or read_u32(record, 0) != epoch or read_u32(record, 4) != 0:
            raise Rejected("damaged-header: an epoch record that contradicts the header")
        return {"epoch": epoch, "nonce": record[8:32], "sealed": record[32:64], "tag": record[64:80]}

    @staticmethod
    def slot(data):
        kind = read_u32(data, 16)
        if kind == 0:
            if any(data):
                raise Rejected("damaged-header: an empty slot holds bytes")
            return None
        kdf, log_n, r, p, length = struct.unpack_from("<5I", data, 20)
        if kind not in (1, 2, 4):
            raise Rejected("unsupported-version: slot kind %d" % kind)
        if kdf != (1 if kind == 1 else 0):
            raise Rejected("unsupported-version: KDF %d" % kdf)
        if kind == 1 and not (1 <= log_n <= 62 and r >= 1 and p >= 1):
            raise Rejected("damaged-header: scrypt parameters out of range")
        if kind != 1 and (log_n or r or p):
            raise Rejected("unsupported-version: costs on a slot without a KDF")
        if length > 32 or any(data[40 + length : 72]) or 0 in data[40 : 40 + length]:
            raise Rejected("damaged-header: a bad label")
        try:
            label = data[40 : 40 + length].decode("utf-8")
        except UnicodeDecodeError:
            raise Rejected("damaged-header: a label that isn't UTF-8")
        if kind != 4 and any(data[208:256]):
            raise Rejected("damaged-header: unused bytes of a slot")
        return {
            "id": data[0:16], "kind": kind, "log_n": log_n, "r": r, "p": p, "label": label, "header": data[0:104],
            "salt": data[72:104], "nonce": data[104:128], "wrapped": data[128:176], "check": data[176:208],
            "encapsulated": data[208:240], "wrapped_secret": data[104:128] + data[240:256],
        }  # fmt: skip

    def mac_fits(self, master):
        key = hkdf(master, b"", b"Sealite 1 header MAC")
        return hmac.compare_digest(hmac.new(key, self.data[:4008], hashlib.sha256).digest(), self.data[4008:4040])


def choose_header(region):
    """§4.3: both copies as they are, and the one that counts."""
    copies, defects = [], []
    for start in (0, 4096):
        try:
            copies.append(Header(region[start : start + 4096]))
        except (Rejected, struct.error) as defect:
            copies.append(None)
            defects.append(str(defect))
    whole = [copy for copy in copies if copy]
    if not whole or any(d.startswith("unsupported") for d in defects):
        if region.startswith(b"SQLite format 3\0"):
            raise Rejected("plain-database")
        raise Rejected(sorted(defects, key=lambda d: not d.startswith("unsupported"))[0])
    if len(whole) == 2 and whole[0].generation == whole[1].generation and whole[0].data != whole[1].data:
        raise Rejected("damaged-header: two copies of one generation differ")
    return copies, max(whole, key=lambda copy: copy.generation)


# ---------------------------------------------------------------- §5 slots


def slot_kek(slot, secret):
    """The KEK that a secret ("raw-key" | "passphrase", bytes) gives for a slot, or None."""
    kind, value = secret
    if slot["kind"] != {"passphrase": 1, "raw-key": 2}[kind]:
        return None
    if kind == "raw-key":
        return hkdf(value, slot["salt"], b"Sealite 1 raw slot key")
    memory = 128 * 2 ** slot["log_n"] * slot["r"]
    work = 2 ** slot["log_n"] * slot["r"] * slot["p"]
    if memory > 2**30 or slot["r"] > 32 or slot["p"] > 16 or work > 8 * 2**20:
        raise Rejected("cost-refused")
    return hashlib.scrypt(
        value, salt=slot["salt"], n=2 ** slot["log_n"], r=slot["r"], p=slot["p"], dklen=32, maxmem=memory + 2**24
    )


def check_fits(kek, slot, header):
    check = hkdf(kek, b"", b"Sealite 1 slot check" + slot["header"] + header.master_id)
    return hmac.compare_digest(check, slot["check"])


def open_recovery(header, private):
    """§5.3: the master key by a recovery key's private half."""
    own = [slot for slot in header.slots if slot and slot["kind"] == 4 and slot["salt"] == public_key(private)]
    if not own:
        raise Rejected("wrong-key")
    slot = own[0]
    try:
        known = recovery_secret(private, slot["id"])
        context = hpke_receive(
            private, slot["encapsulated"], b"Sealite 1 authenticated recovery" + header.database_id,
            (known, b"Sealite 1 recovery secret" + slot["id"]))  # fmt: skip
        if not check_fits(context.export(b"Sealite 1 authenticated recovery slot key"), slot, header):
            raise Rejected("tampered-header: a recovery slot that somebody without the recovery key made")
        master = AESGCM(context.key).decrypt(context.nonce, slot["wrapped"], slot["header"] + header.master_id)
        wrapping = recovery_wrapping_key(master, header.database_id, slot["header"], header.master_id)
        if not hmac.compare_digest(aes_key_unwrap(wrapping, slot["wrapped_secret"]), known):
            raise Rejected("tampered-header: a recovery slot holds another secret than its own")
        return master
    except (InvalidTag, InvalidUnwrap, ValueError) as error:
        raise Rejected("tampered-header: a recovery slot doesn't open") from error


def open_slots(header, secret):
    """The master key, from the first slot that accepts the secret."""
    if secret[0] == "recovery":
        return open_recovery(header, secret[1])
    for slot in header.slots:
        if not slot:
            continue
        kek = slot_kek(slot, secret)
        if kek is None or not check_fits(kek, slot, header):
            continue
        key = hkdf(kek, b"", b"Sealite 1 slot wrap")
        associated = slot["header"] + header.master_id
        master = open_sealed(key, slot["nonce"], associated, slot["wrapped"][:32], slot["wrapped"][32:])
        if master is None:
            raise Rejected("tampered-header: a slot's check value fits and its wrapped key doesn't")
        return master
    raise Rejected("wrong-key")


# ---------------------------------------------------------------- §6 to §8


class Database:
    """An unlocked database: the pages a reader sees."""

    def __init__(self, path, secret):
        self.path = path
        with open(path, "rb") as file:
            self.file = file.read()
        copies, self.header = choose_header(self.file[:8192])
        self.page_size = self.header.page_size
        master = open_slots(self.header, secret)
        for copy in copies:
            if copy and copy.master_id == self.header.master_id and not copy.mac_fits(master):
                raise Rejected("tampered-header: a MAC doesn't fit")
        self.page_keys = {}
        wrapping = hkdf(master, b"", b"Sealite 1 page key wrap")
        for record in self.header.epochs:
            associated = b"Sealite 1 epoch" + self.header.database_id + self.header.master_id + u32(record["epoch"])
            key = open_sealed(wrapping, record["nonce"], associated, record["sealed"], record["tag"])
            if key is None:
                raise Rejected("tampered-header: an epoch record doesn't open")
            self.page_keys[record["epoch"]] = key
        self.damaged = []
        self.pages = {}

    def key(self, use, epoch):
        page_key = self.page_keys.get(epoch)
        return page_key and hkdf(page_key, self.header.database_id, b"Sealite 1 " + use)

    def open_text(self, use, kind, number, data, text_length, extra=b""):
        """Opens sealed text ‖ trailer of 48 bytes. Returns (text, spare), or None."""
        trailer = data[text_length : text_length + 48]
        epoch, spare = read_u32(trailer, 40), read_u32(trailer, 44)
        key = self.key(use, epoch)
        if not key:
            return None
        associated = self.header.database_id + u32(kind) + u32(number) + u32(epoch) + u32(spare) + extra
        text = open_sealed(key, trailer[:24], associated, data[:text_length], trailer[24:40])
        return None if text is None else (text, spare)

    def read_pages(self):
        """§6: every page of the file into self.pages; those that don't open into self.damaged."""
        size = self.page_size
        lock_byte_page = 1073741824 // size + 1
        self.serial = None
        images = self.open_batch()
        for number in range(1, (len(self.file) - 8192 + size - 1) // size + 1):
            data = self.file[8192 + (number - 1) * size : 8192 + number * size]
            if number == lock_byte_page:
                continue
            opened = self.open_text(b"main", 1, number, data, size - 48) if len(data) == size else None
            if opened is None and number in images:
                opened = self.open_text(b"main", 1, number, images[number], size - 48)
            if opened is None:
                if any(data) or len(data) < size:
                    self.damaged.append(number)
                continue
            self.pages[number] = opened[0] + bytes(48)
            if number == 1:
                self.serial = opened[1]

    # ------------------------------------------------------------ §14

    def open_batch(self):
        """The images of a rotation's batch that nobody has finished, by page number."""
        if self.header.previous_master_id is None or not os.path.exists(self.path + "-rotate"):
            return {}
        with open(self.path + "-rotate", "rb") as file:
            data = file.read()
        if len(data) < 512 or data[:8] != b"SealRot1" or data[8:40] != self.header.database_id + self.header.master_id:
            return {}
        count = read_u32(data, 60)
        table = data[512 : 512 + 4 * count]
        key = self.key(b"sidecar", self.header.epochs[0]["epoch"])
        if count > 4096 or len(table) < 4 * count or read_u32(data, 48) != 1:
            return {}
        if not hmac.compare_digest(hmac.new(key, data[:64] + table, hashlib.sha256).digest(), data[64:96]):
            return {}
        start = (512 + 4 * count + 4095) // 4096 * 4096
        images = {}
        for index, number in enumerate(struct.unpack("<%dI" % count, table)):
            image = data[start + index * self.page_size : start + (index + 1) * self.page_size]
            if len(image) == self.page_size:
                images[number] = image
        return images

    # ------------------------------------------------------------ §7

    def apply_wal(self):
        """Lays the committed frames of the WAL over the pages. Returns the page count of the last commit, or None."""
        if not os.path.exists(self.path + "-wal"):
            return None
        with open(self.path + "-wal", "rb") as file:
            log = file.read()
        stored = log[:32]
        if len(stored) < 32 or big_u32(stored, 4) != 0x5365616C or big_u32(stored, 8) != self.page_size:
            return None
        order = ">" if stored[3] & 1 else "<"

        def checksum(data, start):
            first, second = start
            words = struct.unpack(order + "%dI" % (len(data) // 4), data)
            for left, right in zip(words[::2], words[1::2]):
                first = (first + left + second) & 0xFFFFFFFF
                second = (second + right + first) & 0xFFFFFFFF
            return first, second

        if checksum(stored[:24], (0, 0)) != struct.unpack_from(">2I", stored, 24):
            return None
        plain = stored[:4] + struct.pack(">I", 3007000) + stored[8:24]
        running = checksum(plain, (0, 0))
        frame_size = 24 + self.page_size
        pending, count = {}, None
        for index in range((len(log) - 32) // frame_size):
            data = log[32 + index * frame_size : 32 + (index + 1) * frame_size]
            opened = self.open_text(b"WAL", 2, index, data, frame_size - 48, extra=stored)
            if opened is None:
                break
            frame = opened[0] + bytes(48)
            number, commit = big_u32(frame, 0), big_u32(frame, 4)
            if frame[8:16] != stored[16:24] or number == 0:
                break
            running = checksum(frame[24:], checksum(frame[:8], running))
            if running != struct.unpack_from(">2I", frame, 16):
                break
            pending[number] = frame[24:]
            if commit:
                self.pages.update(pending)
                pending, count = {}, commit
        return count

    # ------------------------------------------------------------ §8

    def roll_back(self):
        """Plays a hot journal back. Returns the page count it restores, or None where there is no journal."""
        if not os.path.exists(self.path + "-journal"):
            return None
        with open(self.path + "-journal", "rb") as file:
            physical = file.read()
        preamble = physical[:32]
        if not any(preamble):
            return None
        room = max(0, len(physical) // 4096 - 1)
        units = [self.unit(index, physical) for index in range(room)]
        is_whole = (
            len(preamble) == 32
            and preamble[:8] == b"\0SealJn1"
            and hashlib.sha256(preamble[:28]).digest()[:4] == preamble[28:]
        )
        if is_whole:
            journal_id, serial = preamble[8:24], read_u32(preamble, 24)
        elif units and units[0]:
            journal_id, serial = units[0]["id"], units[0]["serial"]
        else:
            return None
        end = 0
        while end < room and units[end] and (units[end]["id"], units[end]["serial"]) == (journal_id, serial):
            end += 1
        if any(unit and unit["id"] == journal_id and unit["synced"] > end for unit in units):
            raise Rejected("damaged-journal: unit %d was synced and isn't there" % end)
        if end == 0 or not is_whole and not any(unit["synced"] for unit in units[:end]):
            return None
        if not self.is_of_this_time(serial):
            raise Rejected("foreign-journal")
        logical = bytearray()
        for unit in units[:end]:
            if unit["kind"] == 2:
                del logical[unit["offset"] :]
                logical.extend(bytes(max(0, unit["offset"] - len(logical))))
            elif unit["kind"] == 0 and unit["payload"]:
                logical.extend(bytes(max(0, unit["offset"] - len(logical))))
                logical[unit["offset"] : unit["offset"] + len(unit["payload"])] = unit["payload"]
        inside, outside = super_record(bytes(logical)), super_record(physical)
        if inside and outside and inside != outside:
            raise Rejected("damaged-journal: the super-journal's name was changed")
        if inside and not os.path.exists(inside[4:-16].decode()):
            return None
        return self.play(bytes(logical))

    def is_of_this_time(self, serial):
        return self.serial is None or self.serial in (serial, (serial + 1) & 0xFFFFFFFF)

    def unit(self, index, physical):
        data = physical[4096 * (1 + index) : 4096 * (2 + index)]
        opened = self.open_text(b"journal", 3, index, data, 4048) if len(data) == 4096 else None
        if opened is None or opened[1] != 0:
            return None
        text = opened[0]
        offset, length = read_u64(text, 16), read_u32(text, 24)
        if length > 4000 or read_u32(text, 36) > 2 or any(text[40:48]):
            return None
        return {
            "id": text[:16], "offset": offset, "payload": text[48 : 48 + length], "synced": read_u32(text, 28),
            "serial": read_u32(text, 32), "kind": read_u32(text, 36),
        }  # fmt: skip

    def play(self, journal):
        """SQLite's own rollback journal. https://sqlite.org/fileformat2.html#the_rollback_journal"""
        magic = bytes.fromhex("d9d505f920a163d7")
        place, page_count = 0, None
        while journal[place : place + 8] == magic and len(journal) >= place + 28:
            record_count, start, initial, sector, size = struct.unpack_from(">5I", journal, place + 8)
            if page_count is None:
                page_count = initial
                for number in [n for n in self.pages if n > initial]:
                    del self.pages[number]
                first_sector, first_size = sector, size
            place += first_sector
            for _ in range(record_count):
                record = journal[place : place + first_size + 8]
                if len(record) < first_size + 8:
                    return page_count
                number, page = big_u32(record, 0), record[4:-4]
                total = start + sum(page[i] for i in range(first_size - 200, 0, -200))
                if total & 0xFFFFFFFF != big_u32(record, first_size + 4):
                    return page_count
                if number <= page_count:
                    self.pages[number] = page
                    if number in self.damaged:
                        self.damaged.remove(number)
                place += first_size + 8
            place = (place + first_sector - 1) // first_sector * first_sector
        return page_count

    # ------------------------------------------------------------ the whole

    def plain(self):
        """The plain SQLite file, as bytes."""
        self.read_pages()
        rolled_back = self.roll_back()
        count = self.apply_wal() or rolled_back
        page_one = self.pages.get(1)
        if page_one is None:
            raise Rejected("damaged-page: page 1")
        stated = big_u32(page_one, 16) >> 16
        if (65536 if stated == 1 else stated) != self.page_size or page_one[20] != 48:
            raise Rejected("damaged-page: page 1 contradicts the header")
        count = count or big_u32(page_one, 28)
        bad = [number for number in self.damaged if number <= count and number not in self.pages]
        if bad:
            raise Rejected("damaged-page: %s" % bad)
        empty = bytes(self.page_size)
        return b"".join(self.pages.get(number, empty) for number in range(1, count + 1))


def super_record(journal):
    """§8.3: the record at the end of a journal that belongs to a super-journal, whole."""
    if len(journal) < 20 or journal[-8:] != bytes.fromhex("d9d505f920a163d7"):
        return None
    length, checksum = struct.unpack_from(">2I", journal, len(journal) - 16)
    if not 0 < length <= 65536 or length + 20 > len(journal):
        return None
    record = journal[len(journal) - length - 20 :]
    total = sum(byte - 256 if byte > 127 else byte for byte in record[4 : 4 + length]) & 0xFFFFFFFF
    return record if total == checksum else None


def main():
    parser = argparse.ArgumentParser(description="Writes a sealed database as a plain SQLite file.")
    parser.add_argument("database")
    parser.add_argument("output", help="a new file")
    keys = parser.add_mutually_exclusive_group(required=True)
    keys.add_argument("--raw-key", help="64 hex digits")
    keys.add_argument("--passphrase")
    keys.add_argument("--recovery-key", help="as on paper, or 64 hex digits")
    arguments = parser.parse_args()
    if arguments.raw_key:
        secret = ("raw-key", bytes.fromhex(arguments.raw_key))
    elif arguments.passphrase:
        secret = ("passphrase", arguments.passphrase.encode())
    elif len(arguments.recovery_key) == 64:
        secret = ("recovery", bytes.fromhex(arguments.recovery_key))
    else:
        secret = ("recovery", recovery_key_from_paper(arguments.recovery_key))
    try:
        plain = Database(arguments.database, secret).plain()
    except Rejected as reason:
        sys.exit("%s: %s" % (arguments.database, reason))
    with open(arguments.output, "xb") as file:
        file.write(plain)


if __name__ == "__main__":
    main()
