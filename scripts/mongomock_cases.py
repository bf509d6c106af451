"""Random documents and requests for compare-mongomock.py."""

import datetime

from bson import ObjectId, SON

KINDS = {
    "equality": ["$eq", "$ne", "literal"],
    "range": ["$gt", "$gte", "$lt", "$lte"],
    "list": ["$in", "$nin"],
    "element": ["$exists", "$type"],
    "array": ["$all", "$size", "$elemMatch"],
    "evaluation": ["$mod", "$regex"],
}
TYPES = ["double", "string", "object", "array", "objectId", "bool", "date", "null", "int", "number"]
PATHS = ["a", "b", "c", "d", "a.b", "a.0", "b.c", "c.d", "a.b.c", "b.1", "a.0.b", "z"]


class Cases:
    def __init__(self, source):
        self.source = source

    # Values

    def chance(self, part):
        return self.source.random() < part

    def number(self):
        return self.source.choice([-3, -1, 0, 1, 2, 3, 5, 8, 0.5, 1.0, 2.5, -1.5])

    def scalar(self):
        pick = self.source.random()
        if pick < 0.4:
            return self.number()
        if pick < 0.65:
            return self.source.choice(["", "a", "b", "ab", "x1", "Ä"])
        if pick < 0.75:
            return None
        if pick < 0.85:
            return self.chance(0.5)
        if pick < 0.93:
            return datetime.datetime(2020, 1, self.source.randint(1, 4), 12)
        return ObjectId(f"{self.source.randint(1, 3):024x}")

    def value(self, depth=2):
        pick = self.source.random()
        if depth == 0 or pick < 0.5:
            return self.scalar()
        if pick < 0.78:
            return [self.value(depth - 1) for _ in range(self.source.randint(0, 3))]
        return self.members(depth - 1)

    def members(self, depth):
        names = [name for name in "abcd" if self.chance(0.45)]
        return {name: self.value(depth) for name in names}

    def document(self, number):
        return {"_id": number, **{name: self.value(3) for name in "abcd" if self.chance(0.75)}}

    def flat(self, number):
        """Makes a document without arrays, whose members have a type each."""
        made = {
            "_id": number, "a": self.number(), "b": self.source.choice(["", "a", "b", "ab", "Ä"]), "d": self.number(),
            "c": {"d": datetime.datetime(2020, 1, self.source.randint(1, 9))},
        }
        for name in "abd":
            if self.chance(0.12):
                del made[name]
            elif self.chance(0.08):
                made[name] = None
        return made

    # Filters

    def filter_case(self):
        if self.chance(0.25):
            operator = self.source.choice(["$and", "$or", "$nor", "two paths"])
            parts = [self.condition(self.source.choice(list(KINDS))) for _ in range(2)]
            if operator == "two paths":
                return "filter: logical", {**parts[0], **parts[1]}
            return "filter: logical", {operator: parts}
        kind = self.source.choice(list(KINDS))
        return f"filter: {kind}", self.condition(kind)

    def condition(self, kind):
        operators = self.operators(kind)
        if isinstance(operators, dict) and any(name.startswith("$") for name in operators) and self.chance(0.1):
            operators = {"$not": operators}
        return {self.source.choice(PATHS): operators}

    def operators(self, kind, depth=1):
        operator = self.source.choice(KINDS[kind])
        if operator == "literal":
            return self.value(1)
        if operator == "$elemMatch":
            return {operator: self.element(depth)}
        return {operator: self.operand(operator)}

    def operand(self, operator):
        if operator in ("$in", "$nin", "$all"):
            return [self.value(1) for _ in range(self.source.randint(1, 3))]
        if operator == "$exists":
            return self.chance(0.5)
        if operator == "$type":
            return self.source.choice(TYPES)
        if operator == "$mod":
            return [self.source.choice([2, 3, -2]), self.source.choice([0, 1, -1])]
        if operator == "$regex":
            return self.source.choice(["a", "^a", "b$", "^$", "[0-9]", "^a?b"])
        if operator == "$size":
            return self.source.randint(0, 3)
        return self.value(1)

    def element(self, depth):
        kinds = [kind for kind in KINDS if depth or kind != "array"]
        if self.chance(0.5):
            operators = self.operators(self.source.choice(kinds), 0)
            return operators if isinstance(operators, dict) and any(n.startswith("$") for n in operators) else {"$gt": 1}
        return {self.source.choice("abc"): self.operators(self.source.choice(kinds), 0)}

    # Sorts and projections

    def find_case(self):
        if self.chance(0.5):
            nested = self.chance(0.2)
            kind, collection = ("sort: arrays", "c") if nested else ("sort", "flat")
            return kind, collection, {}, self.order(PATHS[:-1] if nested else ["a", "b", "c.d", "d", "c", "z"]), None
        return "projection", "c", {"_id": {"$gte": self.source.randint(0, 20)}}, None, self.projection()

    def order(self, paths):
        names = self.source.sample(paths, self.source.randint(1, 2))
        return SON([(name, self.source.choice([1, -1])) for name in names])

    def projection(self):
        pick = self.source.random()
        if pick < 0.15:
            return {self.source.choice("abcd"): {"$slice": self.source.choice([1, -1, 2, [1, 1], [-2, 1]])}}
        if pick < 0.25:
            return {self.source.choice("abcd"): {"$elemMatch": self.element(0)}}
        names = self.source.sample(["a", "b.c", "c.d", "d", "b.a"], self.source.randint(1, 3))
        keep = int(self.chance(0.5))
        return {**{name: keep for name in names}, **({"_id": 0} if self.chance(0.2) else {})}

    # Updates

    def update_case(self):
        document = {name: self.value(2) for name in "abcd" if self.chance(0.85)}
        operator = self.source.choice(
            ["$set", "$unset", "$inc", "$mul", "$min", "$max", "$rename"] + ["$push", "$addToSet", "$pop", "$pull", "$pullAll"] * 2
        )
        path = self.source.choice(["a", "b", "c", "a.b", "a.0", "b.1", "c.d", "z", "z.y"])
        if operator in ("$push", "$addToSet", "$pop", "$pull", "$pullAll") and self.chance(0.85):
            document["a"] = [self.value(1) for _ in range(self.source.randint(0, 4))]
            path = "a"
        if operator in ("$inc", "$mul", "$min", "$max") and self.chance(0.7):
            document["a"], path = self.number(), "a"
        return f"update: {operator}", document, {operator: {path: self.argument(operator)}}

    def argument(self, operator):
        if operator in ("$inc", "$mul"):
            return self.number()
        if operator == "$unset":
            return ""
        if operator == "$rename":
            return self.source.choice(["n", "d"])
        if operator == "$pop":
            return self.source.choice([1, -1])
        if operator == "$pullAll":
            return [self.scalar() for _ in range(3)]
        if operator == "$pull":
            return self.source.choice([self.scalar(), {"$gte": self.number()}, {"$in": [self.scalar(), self.scalar()]}, self.element(0)])
        if operator == "$addToSet":
            return {"$each": [self.value(1) for _ in range(2)]} if self.chance(0.5) else self.value(1)
        if operator == "$push" and self.chance(0.6):
            push = {"$each": [self.value(1) for _ in range(self.source.randint(0, 3))]}
            for name, argument in (("$position", [0, 1, -1, 9]), ("$slice", [0, 2, -2]), ("$sort", [1, -1, SON([("a", 1)])])):
                if self.chance(0.35):
                    push[name] = self.source.choice(argument)
            return push
        return self.value(1)

    # Pipelines

    def pipeline_case(self):
        kind = self.source.choice(["$group", "$project", "$unwind", "$sort"])
        flat = kind in ("$group", "$sort")
        test = {self.source.choice("abd"): self.operators("range")} if flat else self.condition(self.source.choice(["range", "element"]))
        stages = [{"$match": test}] if self.chance(0.4) else []
        return f"pipeline: {kind}", "flat" if flat else "c", stages + getattr(self, kind[1:])()

    def group(self):
        key = self.source.choice([None, "$a", "$b", "$c.d", {"b": "$b"}, {"$gt": ["$a", 1]}])
        accumulators = {
            "count": {"$sum": 1}, "sum": {"$sum": "$a"}, "mean": {"$avg": "$d"}, "least": {"$min": "$c"},
            "most": {"$max": "$d"}, "first": {"$first": "$b"}, "last": {"$last": "$c"}, "all": {"$push": "$d"},
        }
        names = self.source.sample(list(accumulators), 2)
        return [{"$group": {"_id": key, **{name: accumulators[name] for name in names}}}]

    def project(self):
        a, b = self.source.sample(["$a", "$b", "$c", "$d", "$b.c"], 2)
        one = self.source.choice([
            {"x": a}, {"x": {"$ifNull": [a, 0]}}, {"x": {"$eq": [a, b]}}, {"x": {"$gt": [a, b]}}, {"x": {"$cond": [a, 1, 2]}},
            {"x": {"$isArray": a}}, {"x": {"$and": [a, b]}}, {"x": {"$not": [a]}}, {"x": {"$cmp": [a, b]}}, {"x": [a, b]},
            {"x": {"$size": {"$cond": [{"$isArray": a}, a, []]}}}, {"x": {"$type": a}}, {"a": 1, "b.c": 1}, {"x": {"y": a}},
            {"x": {"$in": [1, {"$cond": [{"$isArray": a}, a, [1]]}]}}, {"x": {"$arrayElemAt": [[a, b], -1]}},
        ])
        return [{"$project": one}]

    def unwind(self):
        path = self.source.choice(["$a", "$b", "$c.d", "$b.c"])
        if self.chance(0.5):
            return [{"$unwind": path}]
        options = {"path": path, "preserveNullAndEmptyArrays": self.chance(0.7)}
        return [{"$unwind": {**options, **({"includeArrayIndex": "place"} if self.chance(0.5) else {})}}]

    def sort(self):
        return [{"$sort": self.order(["a", "b", "c.d", "d"])}, {"$limit": 20}]


def parts(one):
    """Returns the filters that a filter is made of, each smaller than it."""
    found = []
    for name, value in one.items():
        if name in ("$and", "$or", "$nor"):
            found += value
        elif len(one) > 1:
            found.append({name: value})
        elif isinstance(value, dict) and set(value) == {"$not"}:
            found.append({name: value["$not"]})
        elif isinstance(value, dict) and set(value) & {"$in", "$nin", "$all"} and len(value) == 1:
            operator, operands = next(iter(value.items()))
            found += [{name: {operator: [operand]}} for operand in operands if len(operands) > 1]
    return found
