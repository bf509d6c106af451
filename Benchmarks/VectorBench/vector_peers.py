"""Other programs on the vectors of VectorBench: processor times of one thread, and recall.

Usage: vector_peers.py FOLDER EXTENSION REPORT   after `VectorBench COUNT FOLDER >REPORT`

EXTENSION is libsealitevfs.so, through which the extensions of SQLite are measured over a sealed file too, beside the plain one. The
others are unencrypted. bench-vectors.sh has the packages of PyPI; what can't be loaded is left out, with a line that says so. At the
end stand our times of REPORT divided by theirs.
"""
import importlib.resources
import math
import os
import pathlib
import re
import sqlite3
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"
import numpy

DIMENSIONS, NEAREST = 384, 10
PRAGMAS = ("PRAGMA journal_mode = WAL", "PRAGMA cache_size = -49152")
# Enough for searches that take a tenth of a second or more.
FEW = 50


class Set:
    """One set of vectors with its searches, and the times measured for it."""

    def __init__(self, folder, name):
        self.name, self.times = name, {}
        self.vectors = numpy.fromfile(f"{folder}/{name}.vectors", "<f4").reshape(-1, DIMENSIONS)
        self.queries = numpy.fromfile(f"{folder}/{name}.queries", "<f4").reshape(-1, DIMENSIONS)
        self.nearest = numpy.loadtxt(f"{folder}/{name}.nearest", dtype=int)
        # As many as VectorBench makes.
        self.lists = max(int(math.sqrt(len(self.vectors)) * 1.27), 16)
        print(f"{name}: {len(self.vectors)} vectors", flush=True)

    def report(self, name, search, most=None):
        """Runs searches twice, and prints the time of one in the second round and the recall."""
        queries, nearest = self.queries[:most], self.nearest[:most]
        found = [search(query) for query in queries]
        before = time.process_time()
        for query in queries:
            search(query)
        self.times[name] = each = (time.process_time() - before) / len(queries) * 1e3
        recall = sum(len(set(map(int, a)) & set(b)) for a, b in zip(found, nearest)) / nearest.size
        print(f"  {name}: {each:.3f} ms a search; recall@10 {recall:.3f}", flush=True)


class Building:
    """Prints the processor time of building something."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.before = time.process_time()

    def __exit__(self, kind, *_):
        if kind is None:
            print(f"  {self.name}: built in {time.process_time() - self.before:.1f} s", flush=True)


class Files:
    """Connections to a new plain file, and to the sealed database that VectorBench has left."""

    def __init__(self, folder, extension):
        self.folder = folder
        self.key = f"{folder}/key"
        # That of VectorBench.
        with open(os.open(self.key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(bytes([7] * 32))
        self.host = sqlite3.connect(":memory:")
        self.host.enable_load_extension(True)
        self.host.load_extension(str(pathlib.Path(extension).resolve()))

    def plain(self, set_, what):
        path = f"{self.folder}/{set_.name}-{what}.db"
        for suffix in ("", "-wal", "-shm"):
            pathlib.Path(path + suffix).unlink(missing_ok=True)
        return self.prepared(sqlite3.connect(path))

    def sealed(self, set_, what):
        path = f"{self.folder}/{set_.name}.db"
        (uri,) = self.host.execute("SELECT sealite_unlock_key_file(?, ?)", (path, self.key)).fetchone()
        return self.prepared(sqlite3.connect(uri, uri=True))

    @staticmethod
    def prepared(connection):
        """With the mode and the cache of a Sealite database."""
        for pragma in PRAGMAS:
            connection.execute(pragma).fetchall()
        connection.enable_load_extension(True)
        return connection


def rows_of(vectors):
    return ((number, row.tobytes()) for number, row in enumerate(vectors))


def ids(rows):
    return [row[0] for row in rows]


def sqlite_vec(set_, connection, where):
    import sqlite_vec as module

    module.load(connection)
    connection.execute(f"CREATE VIRTUAL TABLE vec0_vectors USING vec0(vector float[{DIMENSIONS}])")
    connection.executemany("INSERT INTO vec0_vectors(rowid, vector) VALUES (?, ?)", rows_of(set_.vectors))
    connection.commit()
    text = f"SELECT rowid FROM vec0_vectors WHERE vector MATCH ? AND k = {NEAREST} ORDER BY distance"
    set_.report(f"sqlite-vec, exact, {where}", lambda query: ids(connection.execute(text, (query.tobytes(),))), FEW)


def sqliteai_vector(set_, connection, where):
    connection.load_extension(str(importlib.resources.files("sqlite_vector.binaries") / "vector"))
    connection.execute("CREATE TABLE ai_vectors(id INTEGER PRIMARY KEY, vector BLOB)")
    connection.executemany("INSERT INTO ai_vectors VALUES (?, ?)", rows_of(set_.vectors))
    connection.commit()
    options = f"dimension={DIMENSIONS},type=FLOAT32,distance=SQUARED_L2"
    connection.execute("SELECT vector_init('ai_vectors', 'vector', ?)", (options,)).fetchall()

    def measure(name, function, most=None):
        text = f"SELECT rowid FROM {function}('ai_vectors', 'vector', ?, {NEAREST})"
        set_.report(
            f"sqliteai-vector, {name}, {where}", lambda query: ids(connection.execute(text, (query.tobytes(),))), most)

    measure("exact", "vector_full_scan", FEW)
    with Building(f"sqliteai-vector, 8 bits, {where}"):
        connection.execute("SELECT vector_quantize('ai_vectors', 'vector', 'qtype=INT8')").fetchall()
    measure("8 bits", "vector_quantize_scan", FEW)
    connection.execute("SELECT vector_quantize_preload('ai_vectors', 'vector')").fetchall()
    measure("8 bits preloaded", "vector_quantize_scan", FEW)


def vec1(set_, folder):
    import apsw
    import apsw.sqlite_extra

    # apsw carries its own copy of SQLite, which the extension for sealed files refuses.
    path = f"{folder}/{set_.name}-vec1.db"
    pathlib.Path(path).unlink(missing_ok=True)
    connection = apsw.Connection(path)
    for pragma in PRAGMAS:
        connection.execute(pragma).fetchall()
    apsw.sqlite_extra.load(connection, "vec1")
    connection.execute("SELECT vec1_config('nthread', 1)").fetchall()
    connection.execute("CREATE VIRTUAL TABLE v USING vec1(vector)")
    with connection:
        connection.executemany("INSERT INTO v(rowid, vector) VALUES (?, ?)", rows_of(set_.vectors))

    def rebuild(argument):
        connection.execute("INSERT INTO v(cmd, arg) VALUES ('rebuild', ?)", (argument,))

    def searched(options, reranked):
        text = f"SELECT rowid FROM v(?, '{{{options}}}')"
        text += f" ORDER BY vec1_l2_distance(?, vector) LIMIT {NEAREST}" if reranked else ""
        return lambda query: ids(connection.execute(text, (query.tobytes(),) * (2 if reranked else 1)))

    rebuild('{index: "flat", distance: "l2"}')
    set_.report("vec1, exact, flat, plain file", searched(f"k: {NEAREST}", False), FEW)
    # Codes of 48 bytes with a rotation, as the manual advises for embeddings, and the best 100 by their vectors; and whole vectors.
    for name, codes, reranked in (("codes of 48 bytes", 48, True), ("whole vectors", 0, False)):
        rotated = "true" if codes else "false"
        with Building(f"vec1, {set_.lists} lists, {name}"):
            model = connection.execute(
                f"""SELECT vec1_train(vector, '{{codesize: {codes}, nbucket: {set_.lists}, distance: "l2", opq: {rotated}}}')
                    FROM (SELECT vector FROM v LIMIT {64 * set_.lists})""").fetchall()[0][0]
            rebuild(model)
        for probes in (4, 8, 16, 32):
            options = f"k: {100 if reranked else NEAREST}, nprobe: {probes}"
            set_.report(f"vec1, {name}, {probes} lists, plain file", searched(options, reranked))
    connection.close()


def faiss(set_, _):
    import faiss as module

    module.omp_set_num_threads(1)

    def searched(index):
        return lambda query: index.search(query.reshape(1, -1), NEAREST)[1][0]

    quantizer = module.IndexFlatL2(DIMENSIONS)
    eight = module.ScalarQuantizer.QT_8bit
    index = module.IndexIVFScalarQuantizer(quantizer, DIMENSIONS, set_.lists, eight, module.METRIC_L2)
    with Building(f"faiss, {set_.lists} lists, SQ8"):
        index.train(set_.vectors)
        index.add(set_.vectors)
    for probes in (4, 8, 16, 32):
        index.nprobe = probes
        set_.report(f"faiss, SQ8, {probes} lists, in memory", searched(index))
    index = module.IndexScalarQuantizer(DIMENSIONS, eight, module.METRIC_L2)
    index.train(set_.vectors)
    index.add(set_.vectors)
    set_.report("faiss, SQ8, all, in memory", searched(index), FEW)
    index = module.IndexFlatL2(DIMENSIONS)
    index.add(set_.vectors)
    set_.report("faiss, exact, in memory", searched(index), FEW)


def usearch(set_, _):
    from usearch.index import Index

    # With dtype="i8" all vectors get the same length, so that distances are other ones.
    index = Index(ndim=DIMENSIONS, metric="l2sq", dtype="f16")
    with Building("usearch, HNSW, float16"):
        index.add(numpy.arange(len(set_.vectors)), set_.vectors, threads=1)
    set_.report("usearch, HNSW, float16, in memory", lambda query: index.search(query, NEAREST, threads=1).keys)


def read_report(path):
    """Our times, by set, encoding and number of lists."""
    times, name, encoding = {}, None, None
    for line in open(path):
        if match := re.match(r"(\w+): \d+ vectors of", line):
            name = match[1]
        elif match := re.match(r"(\w+), \d+ lists: built", line):
            encoding = match[1]
        elif match := re.match(r"  (\w+) lists: ([\d.]+) ms", line):
            times[name, encoding, match[1]] = float(match[2])
    return times


def compare(set_, ours):
    for name, encoding, lists, theirs in (
        ("exact, sealed", "none", "all", "sqlite-vec, exact, sealed file"),
        ("exact, sealed", "none", "all", "sqliteai-vector, exact, sealed file"),
        ("exact, ours sealed, theirs plain", "none", "all", "sqlite-vec, exact, plain file"),
        ("8 bits of all vectors, sealed", "SQ8", "all", "sqliteai-vector, 8 bits, sealed file"),
        ("8 bits of all vectors, ours sealed, theirs in memory", "SQ8", "all", "faiss, SQ8, all, in memory"),
        ("8 lists, ours sealed, theirs plain", "SQ8", "8", "vec1, codes of 48 bytes, 8 lists, plain file"),
        ("8 lists, ours sealed, theirs in memory", "SQ8", "8", "faiss, SQ8, 8 lists, in memory"),
        ("8 lists, ours sealed, theirs in memory", "SQ8", "8", "usearch, HNSW, float16, in memory"),
    ):
        if (key := (set_.name, encoding, lists)) in ours and theirs in set_.times:
            print(f"  {name}: ours {encoding} / {theirs}: {ours[key] / set_.times[theirs]:.2f}")


def on(set_, measure, connect, where):
    connection = connect(set_, measure.__name__)
    measure(set_, connection, where)
    connection.close()


def main():
    folder, extension, report = sys.argv[1:]
    ours = read_report(report)
    files = Files(folder, extension)
    for name in ("hard", "easy"):
        set_ = Set(folder, name)
        for what, measure, *arguments in (
            *((f"{measure.__name__}, {where}", on, measure, connect, where)
              for measure in (sqlite_vec, sqliteai_vector)
              for connect, where in ((files.plain, "plain file"), (files.sealed, "sealed file"))),
            *((measure.__name__, measure, folder) for measure in (vec1, faiss, usearch)),
        ):
            try:
                measure(set_, *arguments)
            except (ImportError, AttributeError, OSError, sqlite3.Error) as error:
                print(f"  {what}: not measured: {error}", flush=True)
        compare(set_, ours)


if __name__ == "__main__":
    main()
