#!/usr/bin/env python3
"""Reads Fixtures/Format/vectors.json with sealite_reader.py: opens every slot, header, page, frame and unit, and sees every
rejection. Exits 1 where one doesn't come out as stated."""

import json
import os
import sys

sys.dont_write_bytecode = True

from sealite_reader import Database, Header, Rejected, choose_header, hkdf, open_sealed, open_slots, u32  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Vectors(Database):
    """The reader's own methods, on vectors instead of files."""

    def __init__(self, header, keys):
        self.header = header
        self.page_keys = keys


def main():
    with open(os.path.join(ROOT, "Fixtures", "Format", "vectors.json"), encoding="utf-8") as file:
        vectors = json.load(file)
    counts = {}

    def expect(what, condition):
        counts[what] = counts.get(what, 0) + 1
        if not condition:
            sys.exit("vectors.json: %s %d doesn't come out as stated" % (what, counts[what]))

    master = bytes.fromhex(vectors["keys"]["master"])
    for vector in vectors["headers"]:
        header = Header(bytes.fromhex(vector["bytes"]))
        expect("header", header.generation == vector["generation"] and header.mac_fits(master))
        for record, stated in zip(header.epochs, [vector["epoch"], vector.get("previousEpoch")]):
            key = hkdf(master, b"", b"Sealite 1 page key wrap")
            associated = b"Sealite 1 epoch" + header.database_id + header.master_id + u32(record["epoch"])
            page_key = open_sealed(key, record["nonce"], associated, record["sealed"], record["tag"])
            expect("epoch record", page_key is not None and page_key.hex() == stated["pageKey"])
        if header.bridge:
            previous = bytes.fromhex(vectors["keys"]["previousMaster"])
            associated = b"Sealite 1 bridge" + header.database_id + header.previous_master_id + header.master_id
            key = hkdf(previous, b"", b"Sealite 1 next master wrap")
            crossed = open_sealed(key, header.bridge[:24], associated, header.bridge[24:56], header.bridge[56:])
            expect("bridge", crossed == master)
    whole = bytes.fromhex(vectors["headers"][0]["bytes"])
    header = Header(whole)
    for vector in vectors["slots"]:
        expect("slot", open_slots(header, (vector["kind"], bytes.fromhex(vector["secret"]))) == master)
    for vector in vectors["headerRejections"]:
        data = bytearray(whole)
        for change in vector["changes"]:
            value = bytes.fromhex(change["bytes"])
            data[change["offset"] : change["offset"] + len(value)] = value
        try:
            choose_header(bytes(data) * 2)
            outcome = "success"
        except Rejected as reason:
            outcome = str(reason).split(":")[0]
        expect("rejection (%s: %s)" % (vector["name"], outcome), outcome == vector["expect"])
    keys = {int(epoch): bytes.fromhex(key) for epoch, key in vectors["keys"]["pageKeys"].items()}
    reader = Vectors(header, keys)
    for vector in vectors["pages"]:
        sealed = bytes.fromhex(vector["sealed"])
        opened = reader.open_text(b"main", 1, vector["number"], sealed, len(sealed) - 48)
        expect("page", opened == (bytes.fromhex(vector["text"]), vector["spare"]))
        expect("page moved", reader.open_text(b"main", 1, vector["number"] + 1, sealed, len(sealed) - 48) is None)
    stored = bytes.fromhex(vectors["wal"]["storedHeader"])
    for vector in vectors["wal"]["frames"]:
        sealed = bytes.fromhex(vector["sealed"])
        opened = reader.open_text(b"WAL", 2, vector["number"], sealed, len(sealed) - 48, extra=stored)
        expect("frame", opened == (bytes.fromhex(vector["text"]), vector["spare"]))
    units = [bytes.fromhex(vector["sealed"]) for vector in vectors["journal"]["units"]]
    physical = bytes.fromhex(vectors["journal"]["preamble"]) + bytes(4064) + b"".join(units)
    for index, vector in enumerate(vectors["journal"]["units"]):
        unit = reader.unit(index, physical)
        expect("unit", unit is not None and unit["offset"] == vector["logicalOffset"])
        expect("unit", unit["synced"] == vector["synced"] and unit["kind"] == vector["kind"])
        expect("unit", len(unit["payload"]) == vector["payloadByteCount"])
    print("vectors.json: %d values as stated" % sum(counts.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
