"""Reads vectors of the demo's characters and of texts, made by a model: Fixtures/Embeddings.

Usage: meanings.py documents VECTORS CHARACTERS    the characters that have a vector, with it as a member "meaning", as JSON lines
       meanings.py parameters VECTORS TEXT         a JSON object with the vector of a text, for a query
       meanings.py nearest VECTORS CHARACTERS TEXT the names of the five characters nearest to a text, each compared
       meanings.py bytes VECTORS                   all floats of them, as bytes
       meanings.py search VECTORS FILE...          how many needles there are, how many the files contain, and how many bytes were searched.
                                                   Needles are each two adjacent floats, as bytes, and each 12 characters of base64
"""
import base64
import json
import pathlib
import struct
import sys

NEAREST = 5


def read(path):
    by_name = {}
    for line in open(path):
        record = json.loads(line)
        by_name[record.get("code", record.get("text"))] = record["meaning"]
    return by_name


def floats(text):
    data = base64.b64decode(text)
    return struct.unpack(f"<{len(data) // 4}f", data)


def cosine(left, right):
    def product(a, b):
        return sum(x * y for x, y in zip(a, b))

    return product(left, right) / (product(left, left) * product(right, right)) ** 0.5


def documents(vectors, characters):
    for line in open(characters):
        record = json.loads(line)
        if record["code"] in vectors:
            yield {**record, "meaning": vectors[record["code"]]}


def nearest(vectors, characters, text):
    asked = floats(vectors[text])
    records = sorted(documents(vectors, characters), key=lambda record: -cosine(floats(record["meaning"]), asked))
    return [record["name"] for record in records[:NEAREST]]


def search(vectors, paths):
    pairs, pieces = set(), set()
    for text in vectors.values():
        data = base64.b64decode(text)
        pairs |= {data[start:start + 8] for start in range(0, len(data) - 7, 4)}
        pieces |= {text[start:start + 12].encode() for start in range(len(text) - 11)}
    found, size = set(), 0
    for path in paths:
        data = pathlib.Path(path).read_bytes()
        size += len(data)
        for needles, length in ((pairs, 8), (pieces, 12)):
            found |= needles.intersection(data[start:start + length] for start in range(len(data) - length + 1))
    return len(pairs) + len(pieces), len(found), size


def show(record):
    print(json.dumps(record, ensure_ascii=False, separators=(",", ":")))


def main():
    action, vectors, rest = sys.argv[1], read(sys.argv[2]), sys.argv[3:]
    if action == "documents":
        for record in documents(vectors, *rest):
            show(record)
    elif action == "parameters":
        show({"vector": vectors[rest[0]]})
    elif action == "nearest":
        print("\n".join(nearest(vectors, *rest)))
    elif action == "bytes":
        sys.stdout.buffer.write(b"".join(map(base64.b64decode, vectors.values())))
    else:
        print(*search(vectors, rest))


main()
