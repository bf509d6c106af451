#!/usr/bin/env python3
"""Compares `sealite mongo` with mongomock over random documents and requests.

Filters, sorts, projections, updates and pipelines run in both; what comes out is compared as canonical Extended JSON,
members of objects in any order. A difference that mongomock_known.py doesn't explain is printed with the one document
and the smallest part of the request that show it, and the exit code is 1.

Usage, with mongomock in an environment of its own:
  python3 -m venv .build/venv-mongomock
  .build/venv-mongomock/bin/pip install mongomock==4.3.0 pymongo==4.20.0
  .build/venv-mongomock/bin/python3 scripts/compare-mongomock.py [--seed N] [--count N] [--tool PATH]
"""

import argparse
import collections
import copy
import json
import os
import pathlib
import random
import secrets
import subprocess
import sys
import tempfile

import mongomock
from bson import json_util

import mongomock_cases as cases
import mongomock_known as known

FAILED = "refused"
LACKS = ("unknown operator", "unknown top level operator", "Unrecognized expression", "Unsupported type")
BUNDLE = 25
OPTIONS = json_util.CANONICAL_JSON_OPTIONS.with_options(tz_aware=False)


def text(value):
    return json_util.dumps(value, json_options=OPTIONS)


def plain(value):
    """Gives an Extended JSON value a form that compares: integers of any width are one type, members have an order."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        if set(value) == {"$numberLong"}:
            return {"$numberInt": value["$numberLong"]}
        if set(value) == {"$numberDouble"} and "n" not in value["$numberDouble"]:
            return {"$numberDouble": repr(float(value["$numberDouble"]))}
        return {name: plain(value[name]) for name in sorted(value)}
    return value


class Sealite:
    """A sealed database in a folder of its own, reached by the command-line tool."""

    def __init__(self, tool, folder):
        self.tool, self.database, self.key = tool, str(folder / "a.db"), str(folder / "key")
        with open(os.open(self.key, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as key:
            key.write(secrets.token_bytes(32))
        self.call([tool, "create", self.database, "--key-file", self.key])

    def call(self, command, given=None):
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1, 64):
            sys.exit(f"{command}\nexit code {done.returncode}: {done.stderr}")
        return done.stdout.splitlines() if done.returncode == 0 else FAILED

    def mongo(self, command, collection, *arguments, given=None):
        return self.call([self.tool, "mongo", command, self.database, collection, *arguments, "--key-file", self.key], given)

    def insert(self, collection, documents):
        self.mongo("insert", collection, given="".join(text(one) + "\n" for one in documents))

    def rows(self, command, collection, *arguments):
        lines = self.mongo(command, collection, *arguments, "--canonical")
        return lines if lines == FAILED else [plain(json.loads(line)) for line in lines]

    def pipelines(self, collection, pipelines):
        """Runs pipelines in a process for all of them, or, where one of them is refused, each in its own."""
        stages = {f"p{number}": pipeline for number, pipeline in enumerate(pipelines)}
        if len(pipelines) > 1:
            rows = self.rows("aggregate", collection, text([{"$facet": stages}]))
            if rows != FAILED:
                return [rows[0][name] for name in stages]
        return [self.rows("aggregate", collection, text(pipeline)) for pipeline in pipelines]


def mock_rows(run):
    """Returns what mongomock gives: rows, FAILED, or None where it says that it lacks something, or breaks."""
    try:
        return [plain(json.loads(text(row))) for row in run()]
    except NotImplementedError:
        return None
    except (mongomock.OperationFailure, mongomock.WriteError) as error:
        return None if str(error).startswith(LACKS) else FAILED
    except Exception:  # An internal error of mongomock is no answer.
        return None


class Comparison:
    def __init__(self, sealite, documents, flat):
        self.sealite, self.documents = sealite, documents
        self.mock = mongomock.MongoClient().db
        for collection, rows in (("c", documents), ("flat", flat)):
            self.mock[collection].insert_many(copy.deepcopy(rows))
            sealite.insert(collection, rows)
        self.counts = collections.defaultdict(collections.Counter)
        self.reasons = collections.Counter()
        self.unexplained = 0

    def judge(self, kind, request, document, ours, theirs):
        if theirs is None:
            self.counts[kind]["not offered"] += 1
        elif ours == theirs:
            self.counts[kind]["agree"] += 1
        elif reason := known.reason(kind, request, document, ours, theirs):
            self.counts[kind]["explained"] += 1
            self.reasons[reason] += 1
        else:
            self.counts[kind]["unexplained"] += 1
            self.unexplained += 1
            print(f"\n{kind}: {text(request)}\n  document  {text(document)}\n  sealite   {json.dumps(ours)}")
            print(f"  mongomock {json.dumps(theirs)}", flush=True)

    # Filters

    def filters(self, filters):
        for start in range(0, len(filters), BUNDLE):
            part = filters[start : start + BUNDLE]
            results = self.sealite.pipelines("c", [[{"$match": one}, {"$project": {"_id": 1}}] for _, one in part])
            for (kind, one), ours in zip(part, results):
                theirs = mock_rows(lambda: self.mock.c.find(one, {"_id": 1}))
                if theirs is None or ours == theirs:
                    self.judge(kind, one, None, ours, theirs)
                else:
                    self.narrow_filter(kind, one, ours, theirs)

    def narrow_filter(self, kind, one, ours, theirs):
        """Finds a document that shows the difference, and the smallest part of the filter that does with it."""
        if FAILED in (ours, theirs):
            self.judge(kind, one, None, ours, theirs)
            return
        differing = [item["_id"] for item in ours if item not in theirs] + [item["_id"] for item in theirs if item not in ours]
        if not differing:
            self.judge(kind, one, None, ours, theirs)
            return
        numbers = sorted({int(item["$numberInt"]) for item in differing})
        matched = {int(item["_id"]["$numberInt"]) for item in ours}
        for number in numbers:
            document = next(each for each in self.documents if each["_id"] == number)
            wholes = [one, *(smaller for part in cases.parts(one) for smaller in [part, *cases.parts(part)])]
            if any(known.reason(kind, part, document, number in matched, number not in matched) for part in wholes):
                continue
            smallest, holds = self.smallest(one, number)
            self.judge(kind, smallest, document, holds, not holds)
            return
        part = next(each for each in wholes if known.reason(kind, each, document, number in matched, number not in matched))
        self.judge(kind, part, document, number in matched, number not in matched)

    def smallest(self, one, number):
        def mock(part):
            return mock_rows(lambda: self.mock.c.find({"$and": [{"_id": number}, part]}))

        own = self.sealite.pipelines("c", [[{"$match": {"_id": number}}, {"$match": one}]])[0]
        parts = cases.parts(one)
        results = self.sealite.pipelines("c", [[{"$match": {"_id": number}}, {"$match": part}] for part in parts])
        for part, ours in zip(parts, results):
            theirs = mock(part)
            if FAILED not in (ours, theirs) and theirs is not None and bool(ours) != bool(theirs):
                return self.smallest(part, number)
        return one, bool(own)

    # Sorts and projections

    def finds(self, finds):
        for kind, collection, one, sort, projection in finds:
            options = ["--sort", text(sort)] if sort else []
            options += ["--projection", text(projection)] if projection else []
            ours = self.sealite.rows("find", collection, text(one), *options)
            if projection:
                self.judge_each(kind, projection, ours, lambda number: self.mock.c.find(
                    {"$and": [{"_id": number}, one]}, copy.deepcopy(projection)))
            else:
                theirs = mock_rows(lambda: self.mock[collection].find(one, sort=list(sort.items())))
                self.judge_rows(kind, sort, ours, theirs)

    def judge_rows(self, kind, request, ours, theirs):
        """Judges the first row that differs and has no known reason."""
        if theirs is None or ours == theirs or FAILED in (ours, theirs) or len(ours) != len(theirs):
            self.judge(kind, request, None, ours, theirs)
            return
        for mine, other in zip(ours, theirs):
            if mine != other and not known.reason(kind, request, None, mine, other):
                break
        else:
            mine, other = next(pair for pair in zip(ours, theirs) if pair[0] != pair[1])
        self.judge(kind, request, None, mine, other)

    def judge_each(self, kind, request, ours, run):
        """Judges what comes of each document by itself, so that one that mongomock breaks at doesn't hide the others."""
        differing, offered = None, False
        if ours == FAILED:
            self.judge(kind, request, None, ours, mock_rows(lambda: run(0)))
            return
        own = collections.defaultdict(list)
        for row in ours:
            own[row.pop("_id", {}).get("$numberInt")].append(row)
        if None in own:
            # Without an _id only the rows as a whole compare.
            rows = [mock_rows(lambda: run(document["_id"])) for document in self.documents]
            theirs = None if None in rows or FAILED in rows else [row for part in rows for row in part]
            self.judge_rows(kind, request, ours, theirs)
            return
        for document in self.documents:
            theirs = mock_rows(lambda: run(document["_id"]))
            if theirs is None:
                continue
            offered = True
            if theirs != FAILED:
                theirs = [{name: value for name, value in row.items() if name != "_id"} for row in theirs]
            mine = own[str(document["_id"])]
            if mine != theirs and (differing is None or not known.reason(kind, request, document, mine, theirs)):
                differing = (document, mine, theirs)
                if not known.reason(kind, request, *differing):
                    break
        if differing:
            self.judge(kind, request, *differing)
        else:
            self.judge(kind, request, None, None if not offered else ours, None if not offered else ours)

    # Updates

    def updates(self, updates):
        """Each update has a document of its own; one reading at the end compares them all."""
        documents = [dict(document, _id=number) for number, (_, document, _) in enumerate(updates)]
        self.sealite.insert("u", documents)
        self.mock.u.insert_many(copy.deepcopy(documents))
        refused = {}
        for number, (_, _, change) in enumerate(updates):
            filter_ = {"_id": number}
            ours = self.sealite.mongo("update", "u", text(filter_), text(change))
            theirs = mock_rows(lambda: self.mock.u.update_one(filter_, copy.deepcopy(change)) and [])
            refused[number] = (ours == FAILED, theirs)
        after = {int(row["_id"]["$numberInt"]): row for row in self.sealite.rows("find", "u")}
        for number, (kind, _, change) in enumerate(updates):
            ours = FAILED if refused[number][0] else after[number]
            theirs = refused[number][1]
            if theirs == []:
                theirs = mock_rows(lambda: self.mock.u.find({"_id": number}))
                theirs = theirs and theirs[0]
            self.judge(kind, change, documents[number], ours, theirs)

    # Pipelines

    def pipelines(self, pipelines):
        for collection in ("c", "flat"):
            chosen = [(kind, pipeline) for kind, where, pipeline in pipelines if where == collection]
            for start in range(0, len(chosen), BUNDLE):
                part = chosen[start : start + BUNDLE]
                results = self.sealite.pipelines(collection, [pipeline for _, pipeline in part])
                for (kind, pipeline), ours in zip(part, results):
                    self.pipeline(kind, collection, pipeline, ours)

    def pipeline(self, kind, collection, pipeline, ours):
        if kind in ("pipeline: $project", "pipeline: $unwind"):
            self.judge_each(kind, pipeline, ours, lambda number: self.mock.c.aggregate(
                [{"$match": {"_id": number}}, *copy.deepcopy(pipeline)]))
            return
        theirs = mock_rows(lambda: self.mock[collection].aggregate(copy.deepcopy(pipeline)))
        if kind == "pipeline: $group" and FAILED not in (ours, theirs) and theirs is not None:
            # Groups come in any order.
            ours, theirs = sorted(ours, key=json.dumps), sorted(theirs, key=json.dumps)
        self.judge_rows(kind, pipeline, ours, theirs)

    def report(self):
        columns = ("agree", "explained", "unexplained", "not offered")
        print(f"\n{'kind':<24}" + "".join(f"{column:>13}" for column in columns))
        for kind in sorted(self.counts):
            print(f"{kind:<24}" + "".join(f"{self.counts[kind][column]:>13}" for column in columns))
        total = sum(self.counts.values(), collections.Counter())
        print(f"{'all':<24}" + "".join(f"{total[column]:>13}" for column in columns))
        for reason, count in self.reasons.most_common():
            print(f"{count:>5}  {reason}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments.add_argument("--count", type=int, default=800, help="filters; the other kinds follow from it")
    arguments.add_argument("--tool", default=".build/debug/sealite")
    given = arguments.parse_args()
    print(f"seed {given.seed}, mongomock {mongomock.__version__}", flush=True)
    make = cases.Cases(random.Random(given.seed))
    with tempfile.TemporaryDirectory() as folder:
        documents = [make.document(number) for number in range(60)]
        comparison = Comparison(Sealite(os.path.abspath(given.tool), pathlib.Path(folder)), documents, [make.flat(number) for number in range(60)])
        comparison.filters([make.filter_case() for _ in range(given.count)])
        comparison.finds([make.find_case() for _ in range(given.count // 8)])
        comparison.updates([make.update_case() for _ in range(given.count // 3)])
        comparison.pipelines([make.pipeline_case() for _ in range(given.count // 4)])
    comparison.report()
    sys.exit(1 if comparison.unexplained else 0)


if __name__ == "__main__":
    main()
