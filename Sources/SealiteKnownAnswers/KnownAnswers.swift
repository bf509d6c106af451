/// The suites of test vectors for all cryptographic functions, and the run over them.
package enum KnownAnswers {
    /// The suites of published vectors, in the order in which an audit lists them. The numbers of cases are stated here
    /// and not derived from the vectors, so that missing vectors are noticed.
    package static let suites: [KnownAnswerSuite] = [
        .init("AES-256-GCM, seal", count: 375, Vectors.aes256GcmSeal, AEADAnswers.sealAESGCM),
        .init("AES-256-GCM, open", count: 375, Vectors.aes256GcmOpen, AEADAnswers.openAESGCM),
        .init("XAES-256-GCM", count: 2, Vectors.xaes256Gcm, AEADAnswers.xaes),
        .init("XAES-256-GCM, accumulated", count: 1, Vectors.xaes256GcmAccumulated, AEADAnswers.accumulatedXAES),
        .init("HKDF-SHA-256", count: 3, Vectors.hkdfSha256, KeyDerivationAnswers.hkdf),
        .init("HMAC-SHA-256", count: 7, Vectors.hmacSha256, HashingAnswers.hmac),
        .init("HPKE base mode, seal", count: 257, Vectors.hpkeSeal, HPKEAnswers.seal),
        .init("HPKE base mode, export", count: 3, Vectors.hpkeExport, HPKEAnswers.export),
        .init("HPKE PSK mode, seal", count: 257, Vectors.hpkePskSeal, HPKEAnswers.sealWithPreSharedKey),
        .init("HPKE PSK mode, export", count: 3, Vectors.hpkePskExport, HPKEAnswers.exportWithPreSharedKey),
        .init("AES-256 key wrap", count: 400, Vectors.aesKeyWrap, AEADAnswers.keyWrap),
        .init("scrypt", count: 4, Vectors.scrypt, KeyDerivationAnswers.scrypt),
        .init("PBKDF2-HMAC-SHA-256", count: 2, Vectors.pbkdf2Sha256, KeyDerivationAnswers.pbkdf2WithSHA256),
        .init("PBKDF2-HMAC-SHA-1", count: 5, Vectors.pbkdf2Sha1, KeyDerivationAnswers.pbkdf2WithSHA1),
        .init("SHA-256", count: 65, Vectors.sha256, HashingAnswers.sha256),
        .init("SHA-512", count: 129, Vectors.sha512, HashingAnswers.sha512),
        .init("SHA-1", count: 65, Vectors.sha1, HashingAnswers.sha1),
    ]

    /// The suites for functions for which nobody publishes vectors; their cases are the project's own.
    package static let properties: [KnownAnswerSuite] = [
        .init("comparison of secrets", count: 8, PropertyAnswers.comparisonCases, PropertyAnswers.comparison),
        .init("random draws", count: 3, PropertyAnswers.drawCases, PropertyAnswers.randomDraws),
    ]

    /// Runs suites. All suites together use up to 1 GiB of memory temporarily (for RFC 7914's last vector) and take
    /// some seconds.
    ///
    /// - Parameters:
    ///   - suites: the suites to run; by default those of `suites` and `properties`.
    ///   - report: called with each result.
    /// - Returns: the results in the order of the suites. The run has passed if every result has passed.
    package static func run(
        _ suites: [KnownAnswerSuite] = suites + properties, report: (KnownAnswerResult) -> Void = { _ in }
    ) -> [KnownAnswerResult] {
        suites.map { suite in
            let result = suite.run()
            report(result)
            return result
        }
    }
}

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

/// The result of running one suite of test vectors.
package struct KnownAnswerResult: Sendable, Encodable {
    /// The name of the tested algorithm.
    package let name: String
    /// The publisher of the test vectors, or the document that has them.
    package let source: String
    /// The SHA-256 digest, in hex, of the published file with the vectors; nil if the vectors are copied from a
    /// document's text.
    package let sourceDigest: String?
    /// The number of test cases that the suite must have.
    package let expectedCount: Int
    /// The number of test cases that ran.
    package let runCount: Int
    /// The number of test cases for which the algorithm gave the right answer.
    package let passedCount: Int
    /// Descriptions of the failed test cases, and of an error that ended the suite early; at most the first ten.
    package let failures: [String]
    /// The time that the run of the suite took.
    package let duration: Duration

    /// The result's members in JSON, which leaves out the duration.
    private enum CodingKeys: String, CodingKey {
        case name, source, sourceDigest, failures
        case expectedCount = "expected"
        case runCount = "ran"
        case passedCount = "passed"
    }

    /// A Boolean value that says whether all the expected test cases ran and gave the right answer.
    package var isPassed: Bool { runCount == expectedCount && passedCount == expectedCount && failures.isEmpty }
}

/// The counts of the test cases of a suite that ran and that passed, and descriptions of those that failed.
struct Tally {
    private(set) var runCount = 0
    private(set) var passedCount = 0
    private(set) var failures: [String] = []

    /// Runs one test case and counts it. The case fails if `body` returns false or throws.
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

    /// Checks the answer to each case of a suite.
    mutating func check(_ text: VectorText, _ body: (VectorText.Case) throws -> Bool) {
        for vector in text.cases { check(vector) { try body(vector) } }
    }

    /// Checks the answer to each case of a suite all of whose cases succeed.
    mutating func checkSuccesses(_ text: VectorText, _ body: (VectorText.Case) throws -> Bool) {
        check(text) { try $0.succeeds(or: "success") && body($0) }
    }

    mutating func fail(_ what: String) {
        if failures.count < 10 { failures.append(what) }
    }
}
