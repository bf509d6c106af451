/// One suite: published vectors and the production code that has to give their answers.
package struct KnownAnswerSuite: Sendable {
    /// What is tested.
    package let name: String
    /// How many cases there have to be.
    package let expectedCount: Int
    /// The vectors as they are compiled in.
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

/// What came of a suite.
package struct KnownAnswerResult: Sendable {
    /// What was tested.
    package let name: String
    /// Who published the vectors.
    package let source: String
    /// The SHA-256 of the published file in hex; nil where the vectors are copied from a document's text.
    package let sourceDigest: String?
    /// The cases there have to be.
    package let expectedCount: Int
    /// The cases that ran.
    package let runCount: Int
    /// The cases whose answer was right.
    package let passedCount: Int
    /// Which cases failed, and how; the first ten.
    package let failures: [String]
    /// How long the suite took.
    package let duration: Duration

    /// Whether all cases that there have to be ran and gave the right answer.
    package var isPassed: Bool { runCount == expectedCount && passedCount == expectedCount && failures.isEmpty }
}

/// Counts the cases of a suite.
struct Tally {
    private(set) var runCount = 0
    private(set) var passedCount = 0
    private(set) var failures: [String] = []

    /// Runs one case: false and errors are failures.
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
