#!/usr/bin/env python3
"""Makes whole databases for a recovery key whose public half alone is known, and sees the tool refuse them.

The attacker has one copy of the victim's file. Its header gives database id, page size, generation, counter, slot id, label and
public key. Everything else is the attacker's: a master key, a page key, the content, and every number raised.
"""

import base64
import hashlib
import hmac
import os
import struct

from _bench import Bench
from sealite_reader import (
    Database, Header, hkdf, hpke_send, public_key, recovery_key_from_paper, seal, u32,
)  # fmt: skip
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

EPOCH_LEAD, LEAD = 1, 1000
TAMPERED, REMOVED = 65, 80


def forged_slot(victim, kind, master, master_id, database_id):
    """The victim's slot, sealed anew to the attacker's master key. The recovery secret of kind 4 is a guess; kind 3, which was
    removed from the format, needs none."""
    header = victim["header"][:16] + u32(kind) + victim["header"][20:]
    ephemeral = os.urandom(32)
    if kind == 3:
        context, label = hpke_send(ephemeral, victim["salt"], b"Sealite 1 recovery"), b"Sealite 1 recovery slot key"
        wrapped_secret = bytes(40)
    else:
        shared = (os.urandom(32), b"Sealite 1 recovery secret" + victim["id"])
        context = hpke_send(ephemeral, victim["salt"], b"Sealite 1 authenticated recovery" + database_id, shared)
        label, wrapped_secret = b"Sealite 1 authenticated recovery slot key", victim["wrapped_secret"]
    kek = context.export(label)
    sealed = AESGCM(context.key).encrypt(context.nonce, master, header + master_id)
    check = hkdf(kek, b"", b"Sealite 1 slot check" + header + master_id)
    return header + wrapped_secret[:24] + sealed + check + public_key(ephemeral) + wrapped_secret[24:]


def wrapped(key, associated, secret):
    nonce = os.urandom(24)
    return nonce + seal(key, nonce, associated, secret)


def forge(victim_bytes, content, kinds, with_application_key=False):
    """A whole file under the victim's database id with the attacker's pages, and slots of these kinds."""
    known = Header(victim_bytes[:4096])
    victim = next(slot for slot in known.slots if slot and slot["kind"] == 4)
    master, master_id, page_key = os.urandom(32), os.urandom(16), os.urandom(32)
    epoch, database_id = known.epochs[0]["epoch"] + EPOCH_LEAD, known.database_id
    data = b"Sealite\0" + u32(1) + u32(content.page_size) + database_id + master_id
    counter = struct.unpack_from("<Q", known.data, 56)[0]
    data += struct.pack("<QQ", known.generation + LEAD, counter + LEAD) + u32(1) + u32(epoch) + bytes(40)
    binding = b"Sealite 1 epoch" + database_id + master_id + u32(epoch)
    data += u32(epoch) + u32(0) + wrapped(hkdf(master, b"", b"Sealite 1 page key wrap"), binding, page_key)
    data += bytes(384 - len(data))
    for index, kind in enumerate(kinds):
        other = dict(victim)
        if index:
            other["id"] = os.urandom(16)
            other["header"] = other["id"] + victim["header"][16:36] + u32(0) + bytes(32) + victim["salt"]
        data += forged_slot(other, kind, master, master_id, database_id)
    data += bytes(3936 - len(data))
    if with_application_key:
        key = hkdf(master, b"", b"Sealite 1 application key wrap")
        data += wrapped(key, b"Sealite 1 application key" + database_id + master_id, os.urandom(32))
    data += bytes(4008 - len(data))
    data += hmac.new(hkdf(master, b"", b"Sealite 1 header MAC"), data, hashlib.sha256).digest() + bytes(32)
    data += hashlib.sha256(data).digest()[:24]
    image = data + data
    key = hkdf(page_key, database_id, b"Sealite 1 main")
    for number in sorted(content.pages):
        spare = content.serial + LEAD if number == 1 else 0
        associated = database_id + u32(1) + u32(number) + u32(epoch) + u32(spare)
        nonce = os.urandom(24)
        text = seal(key, nonce, associated, content.pages[number][:-48])
        image += text[:-16] + nonce + text[-16:] + u32(epoch) + u32(spare)
    return image


def exchange_copies(bench, victim, content, by_recovery):
    """Only one copy of the header is exchanged, and a person has to decide between the two."""
    forged = forge(victim, content, [3])
    image = forged[:4096] + victim[4096:]
    bench.write("victim.db", image)
    opened = bench.run("sql", "victim.db", "SELECT a FROM notes", "--csv", *by_recovery)
    bench.expect("a removed kind of slot in one copy is ignored", opened.returncode == REMOVED, opened)
    taken = bench.run("header", "accept", "victim.db", "--copy", "0", *by_recovery)
    bench.expect("a forged copy was accepted by its number", taken.returncode == REMOVED, taken)
    bench.expect("the file was written to", bench.read("victim.db") == image)
    chosen = bench.run("header", "accept", "victim.db", *by_recovery)
    bench.expect("the honest copy isn't accepted", chosen.returncode == 0 and not chosen.stderr, chosen)
    honest = bench.run("sql", "victim.db", "SELECT a FROM notes", "--csv", *by_recovery)
    bench.expect("the file isn't the honest one", honest.stdout == "a\nmine\n" and not honest.stderr, honest)
    bench.write("forged.header", forged[:8192])
    put_back = bench.run("header", "restore", "victim.db", "forged.header", *by_recovery)
    bench.expect("a forged header was put back", put_back.returncode == REMOVED, put_back)


def main():
    bench = Bench()
    bench.must("create", "victim.db", "--key-file", "key", "--recovery-key-file", "paper")
    bench.must("sql", "victim.db", "CREATE TABLE notes(a); INSERT INTO notes VALUES ('mine')", "--key-file", "key")
    bench.must("freshness", "record", "victim.db", "record", "--key-file", "key")
    victim = bench.read("victim.db")
    # The attacker's own database gives the pages.
    bench.write("evil.key", os.urandom(32))
    bench.must("create", "evil.db", "--key-file", "evil.key")
    bench.must("sql", "evil.db", "CREATE TABLE notes(a); INSERT INTO notes VALUES ('forged')", "--key-file", "evil.key")
    content = Database(bench.path("evil.db"), ("raw-key", bench.read("evil.key")))
    content.read_pages()

    by_recovery = ("--recovery-key-file", "paper")
    honest = bench.run("sql", "victim.db", "SELECT a FROM notes", "--csv", *by_recovery)
    bench.expect("the honest file opens", honest.returncode == 0 and honest.stdout == "a\nmine\n", honest)
    commands = [
        ("sql", "victim.db", "SELECT a FROM notes"), ("verify", "victim.db"), ("audit", "victim.db"),
        ("freshness", "check", "victim.db", "record"), ("freshness", "record", "victim.db", "record"),
        ("backup", "victim.db", "copy.db"), ("restore", "victim.db", "copy.db"), ("key", "check", "victim.db"),
        ("key", "add", "victim.db", "--new-key-file", "key"), ("key", "rotate", "victim.db"),
        ("header", "accept", "victim.db"), ("header", "accept", "victim.db", "--copy", "0"),
    ]  # fmt: skip
    for kinds in ([4], [3, 4], [4, 3], [3]):
        forged = forge(victim, content, kinds)
        bench.write("victim.db", forged)
        for command in commands:
            result = bench.run(*command, *by_recovery)
            expected = REMOVED if 3 in kinds else TAMPERED
            bench.expect("kinds %s: %s" % (kinds, command), result.returncode == expected, result)
            bench.expect("kinds %s: %s printed it" % (kinds, command), "forged" not in result.stdout, result)
            hint = 3 not in kinds or "sealite export" in result.stderr
            bench.expect("kinds %s: %s doesn't name the way out" % (kinds, command), hint, result)
        bench.expect("kinds %s: the file was written to" % kinds, bench.read("victim.db") == forged)
        bench.expect("kinds %s: a copy was made" % kinds, not os.path.exists(bench.path("copy.db")))

    # The same key on a paper from before the removal.
    private = recovery_key_from_paper(bench.read("paper").decode())
    check = hashlib.sha256(b"Sealite recovery key" + private).digest()[:3]
    bench.write("old.paper", base64.b32encode(private + check))
    bench.write("victim.db", victim)
    result = bench.run("sql", "victim.db", "SELECT a FROM notes", "--recovery-key-file", "old.paper")
    bench.expect("a paper of the removed kind is taken", result.returncode == REMOVED, result)
    exchange_copies(bench, victim, content, by_recovery)
    bench.write("victim.db", victim)
    bench.expect("the record passes", bench.run("verify", "victim.db", "--freshness", "record", *by_recovery).returncode == 0)
    bench.finish()


if __name__ == "__main__":
    main()
