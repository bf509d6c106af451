import CSQLite
import SealiteFile

/// A limit on the work of statements over what a file says in its schema, which may be endless if somebody else made it.
struct WorkLimit {
    /// The maximum number of steps of SQLite's virtual machine.
    let steps: Int
    /// The maximum length of a value in bytes.
    let valueByteCount: CInt

    /// Creates a limit that no sensible statement reaches that reads some pages a few times: a value can't be longer than
    /// the file that contains it, nor a result much longer.
    init(pageCount: Int, pageSize: Int) {
        steps = 20_000_000 + min(pageCount, 1 << 40) * 2_000_000
        let (byteCount, isTooMuch) = pageCount.multipliedReportingOverflow(by: 4 * pageSize)
        valueByteCount = isTooMuch ? .max : CInt(clamping: max(byteCount, 1 << 20))
    }
}

extension RawConnection {
    /// Runs `body`, whose statements together may do limited work.
    ///
    /// - Throws: `statement` if the statements take more steps; the errors of `body`, among them that of a value that is
    ///   too long.
    func limited(to limit: WorkLimit, _ body: () throws(SealedFileError) -> Void) throws(SealedFileError) {
        let counter = StepCounter(limit.steps)
        // SQLite's own limit is never raised. https://sqlite.org/c3ref/limit.html
        let length = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, limit.valueByteCount)
        defer { _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, length) }
        do throws(SealedFileError) {
            try unsafe counter.run(on: handle, body)
        } catch {
            guard counter.isExhausted else { throw error }
            throw SealedFileError(
                .statement, "it takes more than \(limit.steps) steps of SQLite, so it may have no end")
        }
    }
}
