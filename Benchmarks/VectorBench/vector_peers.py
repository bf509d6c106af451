"""Other programs on the vectors of VectorBench, unencrypted, one core, processor times.

Usage: vector_peers.py FOLDER   after `VectorBench 100000 FOLDER`; needs numpy, sqlite-vec, faiss-cpu and usearch from PyPI.
"""
import os
import sqlite3
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"
import numpy

DIMENSIONS, NEAREST = 384, 10


def load(folder, name):
    vectors = numpy.fromfile(f"{folder}/{name}.vectors", "<f4").reshape(-1, DIMENSIONS)
    queries = numpy.fromfile(f"{folder}/{name}.queries", "<f4").reshape(-1, DIMENSIONS)
    nearest = numpy.loadtxt(f"{folder}/{name}.nearest", dtype=int)
    return vectors, queries, nearest


def report(name, search, queries, nearest):
    """Runs all searches twice, and prints the time of one in the second round and the recall."""
    found = [search(query) for query in queries]
    before = time.process_time()
    for query in queries:
        search(query)
    each = (time.process_time() - before) / len(queries) * 1e3
    recall = sum(len(set(map(int, a)) & set(b)) for a, b in zip(found, nearest)) / nearest.size
    print(f"  {name}: {each:.3f} ms a search; recall@10 {recall:.3f}", flush=True)


def sqlite_vec(folder, name, vectors, queries, nearest):
    import sqlite_vec as module

    path = f"{folder}/{name}-sqlite-vec.db"
    if os.path.exists(path):
        os.remove(path)
    connection = sqlite3.connect(path)
    connection.enable_load_extension(True)
    module.load(connection)
    connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(vector float[{DIMENSIONS}])")
    connection.executemany(
        "INSERT INTO v(rowid, vector) VALUES (?, ?)", ((number, row.tobytes()) for number, row in enumerate(vectors)))
    connection.commit()

    def search(query):
        rows = connection.execute(
            "SELECT rowid FROM v WHERE vector MATCH ? AND k = 10 ORDER BY distance", (query.tobytes(),))
        return [row[0] for row in rows]

    report("sqlite-vec, exact, plain file", search, queries[:50], nearest[:50])


def faiss(vectors, queries, nearest):
    import faiss as module

    module.omp_set_num_threads(1)
    for encoding, kind in (("SQ8", module.ScalarQuantizer.QT_8bit),):
        quantizer = module.IndexFlatL2(DIMENSIONS)
        index = module.IndexIVFScalarQuantizer(quantizer, DIMENSIONS, 401, kind, module.METRIC_L2)
        before = time.process_time()
        index.train(vectors)
        index.add(vectors)
        print(f"  faiss IVF401,{encoding}: built in {time.process_time() - before:.1f} s", flush=True)
        for probes in (4, 8, 16, 32):
            index.nprobe = probes
            report(
                f"faiss IVF401,{encoding}, {probes} lists, in memory",
                lambda query: index.search(query.reshape(1, -1), NEAREST)[1][0], queries, nearest)


def usearch(vectors, queries, nearest):
    from usearch.index import Index

    # With dtype="i8" all vectors get the same length, so that distances are other ones.
    index = Index(ndim=DIMENSIONS, metric="l2sq", dtype="f16")
    before = time.process_time()
    index.add(numpy.arange(len(vectors)), vectors, threads=1)
    print(f"  usearch HNSW f16: built in {time.process_time() - before:.1f} s", flush=True)
    report("usearch HNSW f16, in memory", lambda query: index.search(query, NEAREST, threads=1).keys, queries, nearest)


def main():
    folder = sys.argv[1]
    for name in ("hard", "easy"):
        vectors, queries, nearest = load(folder, name)
        print(f"{name}: {len(vectors)} vectors", flush=True)
        for measure in (sqlite_vec, faiss, usearch):
            arguments = (folder, name) if measure is sqlite_vec else ()
            try:
                measure(*arguments, vectors, queries, nearest)
            except (ImportError, AttributeError) as error:
                print(f"  {measure.__name__}: not measured: {error}")


if __name__ == "__main__":
    main()
