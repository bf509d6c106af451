/// The result of running one suite of test vectors.
package struct KnownAnswerResult: Sendable {
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

    /// A Boolean value that says whether all the expected test cases ran and gave the right answer.
    package var isPassed: Bool { runCount == expectedCount && passedCount == expectedCount && failures.isEmpty }
}
