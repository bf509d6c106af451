"""For scale: TinyDB, the embedded document store that a Python user would pick, with its caching middleware on, so that it writes its
file once at the end of each phase."""
import collections
import pathlib
import random
import sys
import tempfile

import tinydb
from tinydb.middlewares import CachingMiddleware
from tinydb.storages import JSONStorage

from bench_people import measure, people

count = int(sys.argv[1])
chance = random.Random(43)
documents = people(count)
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "people.json"
    with tinydb.TinyDB(path, storage=CachingMiddleware(JSONStorage)) as database:

        def insert():
            database.insert_multiple(documents)
            database.storage.flush()

        measure("TinyDB insert in one go, written at the end", count, insert)
        ids = [chance.randrange(1, count + 1) for _ in range(300)]
        measure("TinyDB random reads by its own ids", len(ids), lambda: [database.get(doc_id=number) for number in ids])
        some = [chance.randrange(1, count + 1) for _ in range(20)]
        measure(
            "TinyDB updates, each by its own", len(some),
            lambda: [database.update({"age": 1}, doc_ids=[number]) for number in some])
        measure("TinyDB unindexed count, documents looked at", count, lambda: database.count(tinydb.where("age") > 40))
        measure(
            "TinyDB groups of a city with their counts, by hand, documents looked at", count,
            lambda: collections.Counter(document["address"]["city"] for document in database))
        email = documents[count // 2]["email"]
        measure("TinyDB find by a string, documents looked at", count, lambda: database.get(tinydb.where("email") == email))
        chosen = sorted(chance.sample(range(1, count + 1), count // 5))
        database.update({"chosen": True}, doc_ids=chosen)
        measure(
            "TinyDB update of the fifth that a condition finds", len(chosen),
            lambda: database.update({"age": 91}, tinydb.where("chosen") == True))  # noqa: E712
    print(f"TinyDB size: {path.stat().st_size / 1048576:.1f} MiB in clear")
