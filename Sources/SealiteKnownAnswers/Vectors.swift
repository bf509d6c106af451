/// The published test vectors as texts, one for each suite; `scripts/embed-vectors.py` describes their format.
enum Vectors {}
