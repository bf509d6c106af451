/// The published test vectors as texts, one for each algorithm; `scripts/embed-vectors.py` describes their format.
enum Vectors {}
