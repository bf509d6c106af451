/// A suite of test vectors for one algorithm, and the function that passes each vector to the production code and
/// compares the answers.
package struct KnownAnswerSuite: Sendable {
    /// The name of the tested algorithm.
    package let name: String
    /// The number of test cases that the suite must have.
    package let expectedCount: Int
    /// The compiled-in test vectors, in the text format that `scripts/embed-vectors.py` describes.
    package let vectors: StaticString
    private let body: @Sendable (VectorText, inout Tally) throws -> Void

    init(
        _ name: String, count: Int, _ vectors: StaticString,
        _ body: @escaping @Sendable (VectorText, inout Tally) throws -> Void
    ) {
        self.name = name
        expectedCount = count
        self.vectors = vectors
        self.body = body
    }

    /// A Boolean value that says whether the suite runs quickly and uses little memory.
    package var isQuick: Bool { !["scrypt", "XAES-256-GCM, accumulated"].contains(name) }

    /// Runs the suite on its own vectors and returns the result.
    package func run() -> KnownAnswerResult { run(on: vectors.description) }

    /// Runs the suite on other vectors in the same text format and returns the result.
    package func run(on vectors: String) -> KnownAnswerResult {
        let start = ContinuousClock.now
        let text = VectorText(vectors)
        var tally = Tally()
        do {
            try body(text, &tally)
        } catch {
            tally.fail("the suite stopped: \(error)")
        }
        return KnownAnswerResult(
            name: name, source: text.source, sourceDigest: text.sourceDigest, expectedCount: expectedCount,
            runCount: tally.runCount, passedCount: tally.passedCount, failures: tally.failures,
            duration: .now - start)
    }
}
