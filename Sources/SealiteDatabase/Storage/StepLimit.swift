internal import GRDB
internal import SealiteFile

/// Limits on the work of SQL statements whose text a file brings along, in steps of SQLite's virtual machine.
enum StepLimit {
    /// The greatest length of a value, 512 MiB: longer than any document, and half of SQLite's own limit.
    static let valueByteCount: CInt = 512 << 20
    /// The number of steps with which the entries of one document are computed, a second or two.
    static let ofDocument = 100_000_000

    /// Returns the number of steps with which the entries of several documents are computed when nobody asked for it.
    static func ofDocuments(_ count: Int64, byteCount: Int64) -> Int {
        Int(clamping: Int64(exactly: (1e8 + Double(count) * 2_000 + Double(byteCount) * 200).rounded()) ?? .max)
    }
}

extension GRDB.Database {
    /// Runs `body`, whose statements together may take a limited number of steps.
    ///
    /// - Parameters:
    ///   - steps: the number of steps.
    ///   - what: what takes the steps, for the error.
    ///   - body: runs the statements.
    /// - Returns: the result of `body`.
    /// - Throws: `unexpected` if the statements take more steps; the errors of `body`.
    func limited<Result>(
        to steps: Int, _ what: @autoclosure () -> String, _ body: () throws -> Result
    ) throws -> Result {
        assert(steps > 0)
        let counter = StepCounter(steps)
        do {
            return try ConnectionHandle(self).counting(counter, valueByteCount: StepLimit.valueByteCount, body)
        } catch  where counter.isExhausted {
            throw DatabaseError(.unexpected, "\(what()) takes more than \(steps) steps of SQLite")
        }
    }
}
