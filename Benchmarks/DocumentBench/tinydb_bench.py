"""For scale: TinyDB, the embedded document store that a Python user would pick, with documents of the same shape and size, its
caching middleware on, so that it writes its file once at the end of each phase. Prints documents per second."""
import pathlib
import random
import sys
import tempfile
import time

import tinydb
from tinydb.middlewares import CachingMiddleware
from tinydb.storages import JSONStorage

WORDS = "amber bridge candle delta ember forest garden harbor island jasmine kernel lantern meadow north orchard".split()


def person(number, chance):
    def words(count):
        return " ".join(chance.choices(WORDS, k=count))

    return {
        "name": words(2).title(), "age": chance.randrange(18, 88), "email": f"{words(1)}.{number}@example.com",
        "tags": chance.choices(WORDS, k=3),
        "address": {"street": words(3), "city": words(1), "postcode": str(chance.randrange(10000, 99999)), "country": "PT"},
        "score": chance.randrange(1000000) / 1000, "bio": words(9),
    }


def measure(name, count, work):
    start = time.process_time()
    work()
    print(f"TinyDB {name}: {int(count / (time.process_time() - start))}/s processor")


count = int(sys.argv[1])
chance = random.Random(42)
people = [person(number, chance) for number in range(count)]
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "people.json"
    with tinydb.TinyDB(path, storage=CachingMiddleware(JSONStorage)) as database:

        def insert():
            database.insert_multiple(people)
            database.storage.flush()

        measure("insert in one go, written at the end", count, insert)
        ids = [chance.randrange(1, count + 1) for _ in range(300)]
        measure("random reads by its own ids", len(ids), lambda: [database.get(doc_id=number) for number in ids])
        some = [chance.randrange(1, count + 1) for _ in range(20)]
        measure("updates, each by its own", len(some), lambda: [database.update({"age": 1}, doc_ids=[number]) for number in some])
        measure("unindexed count, documents looked at", count, lambda: database.count(tinydb.where("age") > 40))
    print(f"TinyDB size: {path.stat().st_size / 1048576:.1f} MiB in clear")
