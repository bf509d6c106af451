"""A peer that may send documents makes them as expensive for queries as it can, and somebody runs queries over them.

Each query and pipeline runs in 3 GiB of address space, and either has a result or says why it has none: the process doesn't die. Then it
is started again and gets SIGINT, after which it may use a bounded amount of processor time.

    python3 Tests/Attacks/exhaust_queries.py .build/tests/release/sealite
"""

import json
import os
import resource
import signal
import subprocess
import time

from _bench import Bench

# The address space of the tool, and the processor time that it may use in all, in seconds, before it is killed.
MEMORY = 3 << 30
TIME = 600
# The processor time in seconds that the tool may use after SIGINT: about a second's worth of work in a build with optimisation, many times
# that in the tests' build.
AFTER = 20

bench = Bench()
key = ("--key-file", "key")


def lines(name, values):
    bench.write(name, "".join(json.dumps(value) + "\n" for value in values).encode())


def start(arguments):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (TIME, TIME + 10))

    environment = {"PATH": "/usr/bin:/bin", "HOME": bench.folder, "LC_ALL": "C.UTF-8"}
    return subprocess.Popen(
        [bench.tool, *arguments], cwd=bench.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, preexec_fn=limit)  # fmt: skip


def used(pid):
    """The processor time of a process so far, in seconds; nil if it has ended."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupt(process, after):
    """Sends SIGINT once a process has used some processor time, and returns how much more it uses until its end; nil if it has ended before."""
    while (time_used := used(process.pid)) is not None and time_used < after:
        if process.poll() is not None:
            return None
        time.sleep(0.01)
    before = used(process.pid)
    if before is None or process.poll() is not None:
        return None
    process.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime - before


# What the peer sends: a text of hits, arrays of many items in two bytes each, and many documents with arrays.
bench.must("create", "a.db", *key)
lines("text", [{"_id": "t", "text": "a " * 80_000}])
lines("arrays", [{"_id": "a", "a": [(i * 7919) % 10 for i in range(300_000)], "b": [[i % 10] for i in range(300_000)], "s": "x" * 4_000_000}])
lines("many", [{"_id": i, "a": [j % 10 for j in range(500)], "n": [{"": {"": {"": {}}}}] * 20} for i in range(200)])
for name in ("text", "arrays", "many"):
    bench.must("import", "a.db", name, "--collection", name, *key)
bench.must("index", "create", "a.db", "words", "--full-text", "text", "--collection", "text", *key)

chain = " || ".join(["s"] * 120)
everything = "ARRAY_CONTAINS(%s, 11)"
queries = [
    "SELECT SNIPPET(words) FROM text WHERE MATCH(words, 'a')",
    "SELECT LENGTH(HIGHLIGHT(words)) FROM text WHERE MATCH(words, 'a')",
    "SELECT ARRAY_LENGTH(HITS(words)) FROM text WHERE MATCH(words, 'a')",
    "SELECT " + everything % "ARRAY_SORT(a)" + " FROM arrays",
    "SELECT " + everything % "ARRAY_DISTINCT(a)" + " FROM arrays",
    "SELECT " + everything % "ARRAY_FLATTEN([b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b], 5)" + " FROM arrays",
    "SELECT LENGTH(%s) FROM arrays" % chain,
    "SELECT LENGTH((%s) || (%s) || (%s)) FROM arrays" % (chain, chain, chain),
    "SELECT " + ", ".join("LENGTH(%s)" % chain for _ in range(20)) + " FROM arrays",
]
loop = {"$range": [0, 1_000_000]}
pipelines = [
    [{"$project": {"x": {"$size": {"$map": {"input": loop, "in": operation}}}}}]
    for operation in (
        {"$in": [11, "$a"]},
        {"$indexOfArray": ["$a", 11]},
        {"$setIsSubset": ["$a", "$a"]},
        {"$eq": ["$b", "$b"]},
        {"$indexOfCP": ["$s", "y"]},
        {"$strLenCP": "$s"},
    )
]
pipelines.append([{"$project": {"x": {"$size": {"$setUnion": [{"$range": [0, 4_000_000]}, {"$range": [3_000_000, 7_000_000]}]}}}}])
many = [[{"$facet": {"p%d" % i: [{"$match": {}}] for i in range(50)}}, {"$project": {"n": {"$size": "$p0"}}}]]

for query in queries:
    process = start(["query", "a.db", query, *key])
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    bench.expect(query[:80], process.returncode in (0, 1, 64, 70, 74) and (process.returncode == 0) == (error == ""), (process.returncode, error[-300:]))
    print("%5d MiB %6.1f s  %s" % (usage.ru_maxrss >> 10, usage.ru_utime + usage.ru_stime, query[:80]))
for pipeline, collection in [(pipeline, "many") for pipeline in many]:
    process = start(["mongo", "aggregate", "a.db", collection, json.dumps(pipeline), *key])
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    bench.expect(json.dumps(pipeline)[:80], process.returncode == 0, (process.returncode, error[-300:]))
    bench.expect("memory of $facet", usage.ru_maxrss < 600 << 10, usage.ru_maxrss >> 10)
    print("%5d MiB %6.1f s  %s" % (usage.ru_maxrss >> 10, usage.ru_utime + usage.ru_stime, json.dumps(pipeline)[:80]))

commands = [["query", "a.db", query, *key] for query in queries[3:]]
commands += [["mongo", "aggregate", "a.db", "arrays", json.dumps(pipeline), *key] for pipeline in pipelines]
for command in commands:
    process = start(command)
    after = interrupt(process, 1.5)
    name = " ".join(command[1:])[:120]
    if after is None:
        print("      ended    %s" % name)
        process.wait()
        continue
    bench.expect("SIGINT: " + name, after < AFTER, "%.1f s" % after)
    bench.expect("exit code: " + name, process.returncode in (130, -signal.SIGINT, 1), process.returncode)
    print("after SIGINT %6.2f s  %s" % (after, name))
bench.finish()
