/// The known-answer tests of `SealiteCrypto` with compiled-in published vectors, which need no other file.
///
/// Start at `KnownAnswers`. `scripts/cut-vectors.py` extracts the vectors in `Fixtures/Vectors/` from the published
/// files, and `scripts/embed-vectors.py` generates `Vectors/` from these. The files whose names end in `Answers` pass the
/// vectors to the same functions that production code calls.
package enum SealiteKnownAnswers {}
