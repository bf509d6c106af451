"""The documents of the measurements of Python's document stores: of the same shape and size as those of DocumentBench."""
import random
import time

WORDS = "amber bridge candle delta ember forest garden harbor island jasmine kernel lantern meadow north orchard".split()


def people(count):
    """Returns as many documents, the same ones each time."""
    chance = random.Random(42)
    return [person(number, chance) for number in range(count)]


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
    """Prints how many of something a second of processor time does, and what one takes."""
    start = time.process_time()
    work()
    seconds = time.process_time() - start
    print(f"{name}: {int(count / seconds)}/s processor ({seconds / count * 1e6:.2f} µs each)")
