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

    mutating func fail(_ what: String) {
        if failures.count < 10 { failures.append(what) }
    }
}
