"""What `make test` shows of the output of its parts, for scripts/costs.py. Everything else stands in the file of the output.

Of a build the warnings and errors are shown; of tests a line for each suite, each failure whole, and Swift Testing's closing line; of
a script its last line. Of what failed without a word, or ended abnormally, the last lines are shown too.
"""

import collections
import json
import os
import re
import threading

# The most lines of output that are shown of what failed without saying why.
LAST = 40


class Shown:
    """Takes the lines of a part's output, and shows some."""

    # What repeats a run, of a soak.
    SEED = re.compile(r"SEALITE_SEED=\d+")

    def __init__(self, part, show):
        self.part, self.show = part, show
        self.last = []
        # What is said again at the end of the run, when it stands far above.
        self.failures = []

    def command(self, command):
        """The command to run, with what this needs of it."""
        return command

    def line(self, line):
        self.last = self.last[1 - LAST:] + [line]
        self.look(line)

    def look(self, line):
        pass

    def end(self, status, took):
        """Shows the result of a command that ended with a status, after a time in words."""

    def show_last(self):
        self.show(f"  the last lines of '{self.part}':")
        for line in self.last:
            self.show(f"  | {line}")


class Everything(Shown):
    def look(self, line):
        self.show(line)


class Build(Shown):
    """Shows warnings and errors with the source that stands below them, and a line for the step."""

    DIAGNOSTIC = re.compile(r"(?:^|\s)(?:fatal )?(error|warning)\b\s?:|^(?:ld|ld\.lld|lld|clang)[^:]*: |undefined (?:reference|symbol)")
    # What pkg-config names and the package manager leaves out, on every machine.
    NOISE = re.compile(r"prohibited flag\(s\): -pthread")
    PROGRESS = re.compile(r"^\[\d+(?:/\d+)?\]|^(?:Building|Build of|Build complete|Compiling|Planning|Fetch|Write|make\[)")

    def __init__(self, part, show):
        super().__init__(part, show)
        self.block, self.seen, self.hasError = [], set(), False

    def look(self, line):
        if self.block and (self.PROGRESS.match(line) or not line.strip()):
            self.flush()
        if self.block or self.DIAGNOSTIC.search(line) and not self.NOISE.search(line):
            self.block.append(line)

    def flush(self):
        # The compiler says some of it twice.
        text = "\n".join(self.block)
        if text and text not in self.seen:
            self.seen.add(text)
            self.hasError = self.hasError or "error" in text or "undefined" in text
            self.show(text)
        self.block = []

    def end(self, status, took):
        self.flush()
        self.show(f"{'✘' if status else '✔'} {self.part}: {'failed' if status else 'done'} after {took}")
        if status and not self.hasError:
            self.show_last()


class Script(Shown):
    """Shows the last line of a script that succeeded, and what one said that failed: all of it, or its end if that is very long."""

    def __init__(self, part, show):
        super().__init__(part, show)
        self.all = collections.deque(maxlen=5000)

    def look(self, line):
        self.all.append(line)
        if self.SEED.search(line):
            self.show(line)

    def end(self, status, took):
        said = next((line.strip() for line in reversed(self.all) if line.strip()), "done")
        if not status:
            return self.show(f"✔ {self.part}: {said}")
        for line in self.all:
            self.show(line)
        self.show(f"✘ {self.part}: failed with status {status} after {took}")
        self.failures.append(f"✘ {self.part}: {said}")


class Tests(Shown):
    """Follows Swift Testing's stream of events beside its output, which doesn't say which suite a test is of."""

    CLOSING = re.compile(r"Test run with \d+ tests? ")
    CRASH = re.compile(r"Fatal error|Program crashed|\*\*\* Signal|unexpected signal|AddressSanitizer|ThreadSanitizer")
    def __init__(self, part, show, stream):
        super().__init__(part, show)
        self.stream = stream
        self.names, self.kinds = {}, {}
        # Of each suite the tests that ended; what has begun and not ended; what failed or was skipped, by its identifier.
        self.ended, self.begun, self.failed, self.skipped = {}, {}, set(), set()
        self.hasEnded, self.isDump, self.closing = False, False, None
        self.isOver = threading.Event()
        self.follower = threading.Thread(target=self.follow, daemon=True)

    def command(self, command):
        if os.path.exists(self.stream):
            os.remove(self.stream)
        self.follower.start()
        return command + ["--event-stream-output-path", self.stream, "--event-stream-version", "0"]

    def line(self, line):
        # Of a crash's report the registers and the list of libraries tell nothing.
        if line == "Registers:":
            self.isDump = True
        if not self.isDump:
            super().line(line)
        elif line.startswith("Backtrace took"):
            self.isDump = False

    def look(self, line):
        if self.CLOSING.search(line):
            self.closing = line
        elif self.SEED.search(line) or self.CRASH.search(line):
            self.show(line)

    def follow(self):
        rest, place = b"", 0
        while True:
            isOver = self.isOver.is_set()
            if os.path.exists(self.stream):
                with open(self.stream, "rb") as stream:
                    stream.seek(place)
                    rest += stream.read()
                    place = stream.tell()
            *records, rest = rest.split(b"\n")
            for record in records:
                try:
                    self.take(json.loads(record or b"{}"))
                except (ValueError, KeyError):
                    # The output and the status tell what this doesn't.
                    continue
            if isOver:
                return
            self.isOver.wait(0.3)

    def take(self, record):
        payload = record.get("payload", {})
        if record.get("kind") == "test":
            self.names[payload["id"]] = payload.get("displayName") or payload["name"]
            self.kinds[payload["id"]] = payload["kind"]
            return
        kind, test = payload.get("kind"), payload.get("testID")
        if kind == "issueRecorded":
            self.take_issue(test, payload)
        elif kind == "testStarted":
            self.begun[test] = True
        elif kind == "testSkipped":
            self.skipped.add(test)
            self.begun.pop(test, None)
            self.count(test)
        elif kind == "testEnded":
            self.begun.pop(test, None)
            if self.kinds.get(test) == "suite":
                self.show_suite(test)
            else:
                self.count(test)
        elif kind == "runEnded":
            self.hasEnded = True

    def take_issue(self, test, payload):
        issue = payload.get("issue", {})
        # What is known, or warns of something, fails nothing, and stands in the output.
        if issue.get("isKnown") or issue.get("severity", issue.get("_severity", "error")) != "error":
            return
        self.failed.add(test)
        case = payload.get("_testCase", {}).get("displayName")
        place = issue.get("sourceLocation") or payload.get("_sourceLocation") or {}
        path = place.get("_filePath") or place.get("fileID", "")
        where = f" at {os.path.relpath(path)}:{place['line']}:{place['column']}" if path else ""
        head = f"✘ {self.title(test)}{f' with {case}' if case else ''}{where}:"
        lines = [line for message in payload.get("messages", []) for line in message["text"].splitlines()] or ["no words"]
        self.show("\n    ".join([f"{head} {lines[0]}"] + lines[1:]))
        self.failures.append(f"{head} {lines[0]}")

    @staticmethod
    def suite_of(test):
        """The identifier without the function and its place: Module.Suite/Inner/function()/File.swift:1:2."""
        path = test.split("/")
        return "/".join(path[:-2]) if len(path) > 2 else test.split(".")[0]

    def count(self, test):
        if self.kinds.get(test) == "function":
            self.ended.setdefault(self.suite_of(test), []).append(test)

    def title(self, test):
        if not test:
            return self.part
        suite = self.suite_of(test) if self.kinds.get(test) == "function" else test
        name = f'"{self.names.get(test, test)}"'
        return name if suite == test else f"{name} of {self.name_of_suite(suite)}"

    def name_of_suite(self, suite):
        return f'"{self.names[suite]}"' if suite in self.names else f"{suite}, outside suites"

    def show_suite(self, suite):
        tests = self.ended.pop(suite, [])
        skipped = sum(test in self.skipped for test in tests)
        failed = sum(test in self.failed for test in tests) + (suite in self.failed)
        # A suite of suites has nothing of its own to tell.
        if not tests and not failed:
            return
        count = f"{len(tests)} test{'s' if len(tests) != 1 else ''}"
        result = f"{failed} of {count} failed" if failed else f"{count} passed"
        if skipped:
            result = result.replace("passed", f"passed, {skipped} of them skipped")
        self.show(f"{'✘' if failed else '✔'} {self.name_of_suite(suite)}: {result}")

    def end(self, status, took):
        self.isOver.set()
        self.follower.join()
        if os.path.exists(self.stream):
            os.remove(self.stream)
        for suite in list(self.ended):
            if self.kinds.get(suite) != "suite":
                self.show_suite(suite)
        begun = [test for test in self.begun if self.kinds.get(test) == "function"]
        if status and not (self.hasEnded and self.closing):
            why = "took longer than it may" if status in (124, 137) else f"ended abnormally, with status {status}"
            why += f" (signal {status - 128})" if status > 128 and status != 137 else ""
            self.show(f"✘ {self.part}: {why}, after {took}")
            self.failures.append(f"✘ {self.part}: {why}")
            for test in begun:
                line = f"    had begun and not ended: {self.title(test)} ({test.split('/')[-1]})"
                self.show(line)
                self.failures.append(line)
            self.show_last()
        elif status and not self.failures:
            self.show_last()
        if self.closing:
            self.show(self.closing)
