#!/usr/bin/env python3
"""Makes Fixtures/Mongo/decimal-arithmetic.json: what Python's decimal module gives for arithmetic of decimal128.

The module follows the General Decimal Arithmetic specification, with the context of IEEE 754's decimal128 here. The random numbers start from a
fixed seed, so that the file comes out the same again.
"""
import json
import pathlib
import random
from decimal import Context, Decimal, ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP

CONTEXT = Context(prec=34, Emin=-6143, Emax=6144, clamp=1, rounding=ROUND_HALF_EVEN, traps=[])
EXACT = Context(prec=14000, Emin=-20000, Emax=20000, traps=[])
RULES = {
    "toNearestOrEven": ROUND_HALF_EVEN, "toNearestOrAwayFromZero": ROUND_HALF_UP, "up": ROUND_CEILING,
    "down": ROUND_FLOOR, "towardZero": ROUND_DOWN, "awayFromZero": ROUND_UP,
}
SPECIAL = [
    "0", "-0", "0E-6176", "0E+6111", "1", "-1", "10", "1.0", "1.00", "9999999999999999999999999999999999", "1E-6176",
    "-1E-6176", "9.999999999999999999999999999999999E+6144", "1E+6144", "1E-6143", "Infinity", "-Infinity", "NaN", "0.5",
    "5E-35", "1E+34", "3", "7E-20", "4.999999999999999999999999999999999",
]


def text(value):
    return "NaN" if value.is_nan() else str(value)


def number(random_):
    digits = random_.choice([1, 2, 5, 15, 17, 33, 34])
    coefficient = random_.randrange(10 ** digits)
    if random_.random() < 0.2:
        coefficient = int("9" * digits)
    if random_.random() < 0.2:
        coefficient = coefficient // 10 ** (digits // 2) * 10 ** (digits // 2)
    spread = random_.choice([3, 20, 40, 400, 6100])
    exponent = max(-6176, min(6111, random_.randint(-spread, spread)))
    return CONTEXT.create_decimal(Decimal((random_.randrange(2), tuple(map(int, str(coefficient))), exponent)))


def near(random_, other):
    """A number whose digits meet those of another one, where rounding has something to decide."""
    if not other.is_finite():
        return number(random_)
    value = number(random_)
    shift = random_.randint(-36, 36)
    exponent = max(-6176, min(6111, other.as_tuple().exponent + shift))
    if not value.is_finite():
        return value
    return CONTEXT.create_decimal(Decimal((value.as_tuple().sign, value.as_tuple().digits, exponent)))


def remainder(left, right):
    if left.is_nan() or right.is_nan() or left.is_infinite() or right.is_zero():
        return Decimal("NaN")
    if right.is_infinite():
        return left
    return CONTEXT.create_decimal(EXACT.remainder(left, right))


def main():
    random_ = random.Random(754)
    cases = []

    def add(operation, left, right, result):
        cases.append({
            "id": f"decimal-{len(cases) + 1:04}", "operation": operation, "left": left, "right": right, "result": result})

    pairs = [(CONTEXT.create_decimal(a), CONTEXT.create_decimal(b)) for a in SPECIAL for b in SPECIAL if random_.random() < 0.25]
    for _ in range(250):
        left = number(random_)
        pairs.append((left, near(random_, left) if random_.random() < 0.7 else number(random_)))
    for left, right in pairs:
        add("add", text(left), text(right), text(CONTEXT.add(left, right)))
        add("subtract", text(left), text(right), text(CONTEXT.subtract(left, right)))
        add("multiply", text(left), text(right), text(CONTEXT.multiply(left, right)))
        add("divide", text(left), text(right), text(CONTEXT.divide(left, right)))
        add("remainder", text(left), text(right), text(remainder(left, right)))
        order = "NaN" if left.is_nan() or right.is_nan() else str(int(EXACT.compare(left, right)))
        if order != "NaN":
            add("compare", text(left), text(right), order)
    for _ in range(300):
        value = number(random_)
        if not value.is_finite():
            continue
        places = -value.as_tuple().exponent - random_.randint(-1, 36)
        rule = random_.choice(list(RULES))
        result = value
        if -value.as_tuple().exponent > places:
            result = CONTEXT.create_decimal(value.quantize(Decimal((0, (1,), -places)), rounding=RULES[rule], context=EXACT))
        add(f"round {rule}", text(value), str(places), text(result))
    for _ in range(200):
        double = random_.choice([
            random_.uniform(-1e6, 1e6), random_.random() * 10.0 ** random_.randint(-320, 308), float(random_.randint(-10**17, 10**17)),
            round(random_.uniform(0, 100), 2), random_.randint(0, 10**16) / 2.0])
        fifteen = Context(prec=15, rounding=ROUND_HALF_EVEN).create_decimal(Decimal(double))
        if double != 0:
            fifteen = fifteen.quantize(Decimal((0, (1,), fifteen.adjusted() - 14)))
        add("fromDouble", repr(double), "", text(fifteen))
        add("toDouble", text(CONTEXT.create_decimal(Decimal(double))), "", repr(float(CONTEXT.create_decimal(Decimal(double)))))
    header = {
        "about": "Arithmetic of decimal128.", "source": "Python's decimal module, by scripts/make-decimal-cases.py",
        "licence": "made for this project", "format": "round: right is the number of places.",
    }
    lines = ",\n".join(json.dumps(case) for case in cases)
    path = pathlib.Path(__file__).resolve().parent.parent / "Fixtures/Mongo/decimal-arithmetic.json"
    path.write_text(json.dumps(header)[:-1] + ', "cases": [\n' + lines + "\n]}\n")
    print(f"{len(cases)} cases")


main()
