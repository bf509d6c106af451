#!/usr/bin/env python3
"""Random rounds between copies of a database in processes of their own, which must all be equal in the end.

A run draws how many replicas there are, the history of each (revision trees, version vectors from the beginning, or upgraded from
trees in some round) and, for each step: which replica changes which documents; which one syncs as the client of which other one, in
which direction and with which way to resolve conflicts; the clock of each process, 10 years behind to 10 minutes ahead; whether the
client or the listener is killed by SIGKILL; whether a file is put back in its place as it was some steps earlier, and which documents
are purged. After each round the clocks are right, everything is synced with --reset until nothing moves, and all documents of all
replicas are compared: id, revision, deletion, content. A content must be one that was written for the document.

usage: rounds.py TOOL SHIFT.so [--seed N] [--runs N] [--rounds N] [--edits N]
Exit code 1 if replicas differ, a sync can't end, or a database is damaged; the replicas stay in the folder that is named then.
"""

import argparse
import collections
import json
import os
import random
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time

# Seconds by which a clock is off: most are right, others beyond what a peer accepts (two minutes ahead), or years behind.
CLOCKS = [0] * 6 + [-315_360_000, -86_400 * 30, -600, -30, 100, 130, 600]
# After a round the clocks show a time that is later than any version.
SETTLING_CLOCK = 900
DOCUMENTS = 60
MERGE = """import json, sys
both = json.load(sys.stdin)
sides = [side for side in (both["local"], both["remote"]) if side]
print(json.dumps({**sides[-1], "merged": sorted({n for side in sides for n in side.get("merged", [side["n"]])})}))
"""


class Failure(Exception):
    pass


class Run:
    """One run: its replicas, its dice, what was written, and how often each thing happened."""

    def __init__(self, options, seed, folder):
        self.options, self.seed, self.folder = options, seed, folder
        self.dice = random.Random(seed)
        self.counts = collections.Counter()
        self.written = collections.defaultdict(set)
        self.number = 0
        self.settles = False
        self.key = os.path.join(folder, "key")
        self.merge = os.path.join(folder, "merge.py")
        with open(self.merge, "w", encoding="utf-8") as file:
            file.write(MERGE)
        self.tool("keygen", "--output", self.key, "-q", key=False)
        history = self.dice.choice(["trees", "vectors", "upgraded", "mixed"])
        count = self.dice.randint(3, 5)
        begins = {
            "trees": ["trees"] * count,
            "vectors": ["vectors"] * count,
            "upgraded": ["trees"] * count,
            "mixed": [self.dice.choice(["trees", "vectors"]) for _ in range(count)],
        }[history]
        # Databases of trees and of vectors don't sync with each other: all are upgraded in one round.
        self.upgrade_round = 0 if history == "mixed" else self.dice.randrange(options.rounds)
        self.is_upgraded = history in ("upgraded", "mixed")
        self.history = history
        self.replicas = [Replica(self, name, begin) for name, begin in zip("ABCDE", begins)]

    def environment(self):
        shift = SETTLING_CLOCK if self.settles else self.dice.choice(CLOCKS)
        return {**os.environ, "HOME": self.folder, "LD_PRELOAD": self.options.shift, "SHIFT": str(shift)}

    def tool(self, *arguments, key=True, text=None):
        command = [self.options.tool, *arguments] + (["-k", self.key] if key else [])
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=300, env=self.environment(), check=False)
        if done.returncode != 0:
            raise Failure(f"{' '.join(arguments[:3])} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def body(self, writer):
        self.number += 1
        some = self.dice.choice([self.number * 7, 0.5, "ü" * self.dice.randrange(20), [1, None], {"x": {"y": True}}])
        return {"n": self.number, "by": writer, self.dice.choice("abc"): some}

    def round(self, number):
        edits = 0
        while edits < self.options.edits:
            if self.is_upgraded and number == self.upgrade_round and edits >= self.options.edits // 3:
                for replica in self.replicas:
                    replica.upgrade()
                self.is_upgraded = False
            replica = self.dice.choice(self.replicas)
            step = self.dice.random()
            if step < 0.45:
                edits += replica.edit(self.dice.randint(1, 30))
            elif step < 0.48:
                replica.purge()
            elif step < 0.51:
                replica.keep_or_put_back()
            else:
                peer = self.dice.choice([other for other in self.replicas if other is not replica])
                if replica.versioning == peer.versioning:
                    self.meet(replica, peer, self.dice.random() < 0.2)
        for replica in self.replicas:
            if self.is_upgraded and number == self.upgrade_round:
                replica.upgrade()
        self.is_upgraded = self.is_upgraded and number < self.upgrade_round
        self.settle()

    def meet(self, client, listener, kills):
        """Syncs a replica with a listener on another one; returns what the client counted, None where one was killed."""
        self.counts["syncs"] += 1
        process, url = listener.serve()
        try:
            arguments = ["sync", client.path, url, "--anonymous", "--json", "--attempts", "1"]
            if self.settles:
                arguments += ["--reset"] if self.resets else []
            else:
                arguments += self.dice.choice([[], [], [], ["--push"], ["--pull"]])
                arguments += self.dice.choice([[], [], ["--reset"]]) if self.dice.random() < 0.2 else []
            arguments += self.dice.choice(
                [[], ["--on-conflict", "local"], ["--on-conflict", "remote"],
                 ["--conflict-command", f"{sys.executable} -S -E {self.merge}"]])
            sync = subprocess.Popen(
                [self.options.tool, *arguments, "-k", self.key], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, env=self.environment())
            if kills:
                self.counts["kills"] += 1
                try:
                    sync.wait(self.dice.uniform(0.02, 0.5))
                except subprocess.TimeoutExpired:
                    pass
                (sync if self.dice.random() < 0.6 else process).kill()
            output, errors = sync.communicate(timeout=300)
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(60)
            process.stdout.close()
        if kills:
            return None
        summary = [json.loads(line) for line in output.splitlines() if '"pushed"' in line]
        # 1: documents failed, which is right where a clock is wrong; what is wrong is found at the end.
        if sync.returncode not in (0, 1):
            raise Failure(f"sync of {client.name} with {listener.name} ended with {sync.returncode}: {errors.strip()}")
        self.counts["conflicts"] += summary[-1]["conflictsResolved"] if summary else 0
        return summary[-1] if summary and sync.returncode == 0 else None

    def settle(self):
        """Syncs all replicas with the first one, with clocks that are right, until nothing moves; then compares them."""
        self.settles, self.resets = True, True
        hub = self.replicas[0]
        for turn in range(12):
            quiet = True
            for client in self.replicas[1:]:
                moved = self.meet(client, hub, False)
                quiet = quiet and moved is not None and not any(
                    moved[member] for member in ("pushed", "pulled", "conflictsResolved"))
            if quiet and turn > 0:
                break
            self.resets = turn == 0
        else:
            raise Failure("the replicas don't come to rest")
        self.compare()
        self.settles = False

    def compare(self):
        expected = self.replicas[0].documents()
        for replica in self.replicas[1:]:
            found = replica.documents()
            different = sorted(i for i in expected.keys() | found.keys() if expected.get(i) != found.get(i))
            # A tombstone that one side never had, or purged, is no difference.
            different = [i for i in different if any(not side[i]["deleted"] for side in (expected, found) if i in side)]
            if different:
                lines = [f"{i}: {self.replicas[0].name} {expected.get(i)}, {replica.name} {found.get(i)}" for i in different]
                raise Failure(f"{len(different)} differences:\n  " + "\n  ".join(lines[:10]))
        for document, state in expected.items():
            numbers = state["body"].get("merged", [state["body"].get("n")]) if not state["deleted"] else []
            if not set(numbers) <= self.written[document]:
                raise Failure(f"{document} has a content that nobody wrote: {state}")
        self.counts["documents"] = len(expected)


class Replica:
    """One copy of the database."""

    def __init__(self, run, name, versioning):
        self.run, self.name, self.versioning = run, name, versioning
        self.path = os.path.join(run.folder, f"{name}.db")
        # One port for all listeners of a replica: a checkpoint belongs to a URL.
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        run.tool("create", self.path, "--versioning", versioning, "-q")

    def edit(self, count):
        run = self.run
        deleted = []
        if run.dice.random() < 0.25:
            live = [json.loads(line)["id"] for line in run.tool("doc", "list", self.path, "--json").splitlines()]
            deleted = run.dice.sample(live, min(len(live), count // 3))
            if deleted:
                run.tool("doc", "delete", self.path, *deleted, "-q")
        ids = {f"d{run.dice.randrange(DOCUMENTS)}" for _ in range(count)}
        lines = []
        for document in sorted(ids):
            body = run.body(self.name)
            run.written[document].add(body["n"])
            lines.append(json.dumps({"_id": document, **body}))
        run.tool("import", self.path, "-", "-q", text="\n".join(lines) + "\n")
        run.counts["edits"] += len(ids) + len(deleted)
        return len(ids) + len(deleted)

    def purge(self):
        live = [json.loads(line)["id"] for line in self.run.tool("doc", "list", self.path, "--json").splitlines()]
        chosen = self.run.dice.sample(live, min(len(live), 3))
        if chosen:
            self.run.tool("doc", "purge", self.path, *chosen, "-q")
            self.run.counts["purges"] += len(chosen)

    def keep_or_put_back(self):
        """Keeps a copy of the file, or puts the copy back in its place."""
        copy = self.path + ".copy"
        if os.path.exists(copy):
            os.replace(copy, self.path)
            for end in ("-wal", "-shm"):
                if os.path.exists(self.path + end):
                    os.remove(self.path + end)
            self.run.counts["copies put back"] += 1
        else:
            # With the log: a process that was killed has left one.
            self.run.tool("sql", self.path, "PRAGMA wal_checkpoint(TRUNCATE)", "-q")
            shutil.copyfile(self.path, copy)
            os.chmod(copy, 0o600)

    def upgrade(self):
        if self.versioning == "trees":
            self.run.tool("upgrade", self.path, "--versioning", "vectors", "-q")
            self.versioning = "vectors"
            self.run.counts["upgrades"] += 1
            # A copy from before can't sync with the others any more.
            if os.path.exists(self.path + ".copy"):
                os.remove(self.path + ".copy")

    def serve(self):
        process = subprocess.Popen(
            [self.run.options.tool, "serve", self.path, "--port", str(self.port), "--name", "db", "--anyone", "--plain",
             "--json", "-k", self.run.key],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.run.environment())
        if not select.select([process.stdout], [], [], 60)[0] or not process.stdout.readline():
            process.kill()
            raise Failure(f"the listener of {self.name} ended with {process.wait()}")
        return process, f"ws://127.0.0.1:{self.port}/db"

    def documents(self):
        run = self.run
        run.tool("verify", self.path, "-q")
        documents = {}
        for line in run.tool("doc", "list", self.path, "--deleted", "--json").splitlines():
            found = json.loads(line)
            documents[found["id"]] = {"deleted": found.get("deleted", False), "revision": found["revision"], "body": {}}
        for line in run.tool("export", self.path, "-").splitlines():
            body = json.loads(line)
            documents[body.pop("_id")]["body"] = body
        return documents


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].splitlines()[0])
    parser.add_argument("tool", type=os.path.abspath)
    parser.add_argument("shift", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--edits", type=int, default=300)
    options = parser.parse_args()
    total = collections.Counter()
    for number in range(options.runs):
        seed = options.seed + number
        folder = tempfile.mkdtemp(prefix="sealite-replicas-")
        run = Run(options, seed, folder)
        begun = time.monotonic()
        try:
            for round_number in range(options.rounds):
                run.round(round_number)
                run.counts["rounds"] += 1
        except (Failure, subprocess.TimeoutExpired) as error:
            print(f"replicas: seed {seed}, {run.history}, round {run.counts['rounds']}: {error}\nkept: {folder}", file=sys.stderr)
            return 1
        shutil.rmtree(folder)
        total += run.counts
        shown = ", ".join(f"{count} {what}" for what, count in sorted(run.counts.items()))
        print(f"replicas: seed {seed}, {len(run.replicas)} of {run.history}: {shown}, 0 differences, {time.monotonic() - begun:.0f} s", flush=True)
    for what in ("kills", "conflicts", "purges", "copies put back"):
        if options.runs * options.rounds >= 20 and not total[what]:
            print(f"replicas: no {what} in all rounds", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
