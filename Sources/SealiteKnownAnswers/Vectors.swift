/// The vectors as texts; `scripts/embed-vectors.py` describes their format.
enum Vectors {}
