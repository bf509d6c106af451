/// The known-answer tests of `SealiteCrypto`, with the published vectors compiled in: what `sealite audit` runs, from
/// the binary alone.
///
/// Start at ``KnownAnswers``. The vectors in `Vectors/` are made from `Fixtures/Vectors/` by `scripts/embed-vectors.py`;
/// those come from the published files by `scripts/cut-vectors.py`. `Suites/` puts them through the same calls that
/// production uses.
package enum SealiteKnownAnswers {}
