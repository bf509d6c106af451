/// A suite of published vectors, with the production code that must give the published answers.
package struct KnownAnswerSuite: Sendable {
    /// The name of the tested algorithm.
    package let name: String
    /// The number of cases that the suite must have.
    package let expectedCount: Int
    /// The compiled-in vectors.
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

    /// A Boolean value that says whether the suite takes a moment only, and little memory.
    package var isQuick: Bool { !["scrypt", "XAES-256-GCM, accumulated"].contains(name) }

    /// Runs the suite on its own vectors.
    package func run() -> KnownAnswerResult { run(on: vectors.description) }

    /// Runs the suite on vectors in the same format.
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

/// The result of a suite.
package struct KnownAnswerResult: Sendable {
    /// The name of the tested algorithm.
    package let name: String
    /// The publisher of the vectors.
    package let source: String
    /// The SHA-256 digest of the published file in hex; nil if the vectors are copied from a document's text.
    package let sourceDigest: String?
    /// The number of cases that the suite must have.
    package let expectedCount: Int
    /// The number of cases that ran.
    package let runCount: Int
    /// The number of cases with the right answer.
    package let passedCount: Int
    /// Descriptions of the failed cases; the first ten.
    package let failures: [String]
    /// The time that the suite took.
    package let duration: Duration

    /// A Boolean value that says whether all the expected cases ran and gave the right answer.
    package var isPassed: Bool { runCount == expectedCount && passedCount == expectedCount && failures.isEmpty }
}

/// Counts the cases of a suite.
struct Tally {
    private(set) var runCount = 0
    private(set) var passedCount = 0
    private(set) var failures: [String] = []

    /// Runs one case: a result of false and an error count as failures.
    mutating func check(_ vector: VectorText.Case, _ body: () throws -> Bool) {
        runCount += 1
        let identifier = vector["id"] ?? "case \(runCount)"
        do {
            if try body() {
                passedCount += 1
            } else {
                fail("\(identifier): wrong answer")
            }
        } catch {
            fail("\(identifier): \(error)")
        }
    }

    mutating func fail(_ what: String) {
        if failures.count < 10 { failures.append(what) }
    }
}
