/// The known-answer tests of `SealiteCrypto` with compiled-in published vectors, which `sealite audit` runs from the
/// binary alone.
///
/// Start at ``KnownAnswers``. `scripts/embed-vectors.py` makes the vectors in `Vectors/` from `Fixtures/Vectors/`, and
/// `scripts/cut-vectors.py` makes those from the published files. `Suites/` passes the vectors to the same functions
/// that production code calls.
package enum SealiteKnownAnswers {}
