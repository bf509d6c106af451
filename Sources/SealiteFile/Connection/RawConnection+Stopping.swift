import CSQLite

extension RawConnection {
    /// Runs statements that are interrupted once `isStopped` returns true. The closure is called every few milliseconds
    /// on the calling thread while SQLite works. https://sqlite.org/c3ref/progress_handler.html
    ///
    /// - Throws: `cancelled` if `isStopped` returned true, otherwise the errors of `body`.
    package func stopping<Result>(
        if isStopped: @escaping () -> Bool, _ body: () throws(SealedFileError) -> Result
    ) throws(SealedFileError) -> Result {
        let check = StopCheck(isStopped)
        unsafe sqlite3_progress_handler(
            handle, StopCheck.stepCount,
            { context in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<StopCheck>.fromOpaque(context).takeUnretainedValue().stops ? 1 : 0
            }, Unmanaged.passUnretained(check).toOpaque())
        defer { withExtendedLifetime(check) { unsafe sqlite3_progress_handler(handle, 0, nil, nil) } }
        do throws(SealedFileError) {
            return try body()
        } catch {
            guard check.hasStopped else { throw error }
            throw SealedFileError(.cancelled, "the work on \"\(path)\" was cancelled, and nothing of it was kept")
        }
    }

    private final class StopCheck {
        /// The number of instructions of SQLite's virtual machine between two calls.
        static let stepCount: CInt = 20_000
        private let isStopped: () -> Bool
        private(set) var hasStopped = false

        init(_ isStopped: @escaping () -> Bool) { self.isStopped = isStopped }

        var stops: Bool {
            hasStopped = hasStopped || isStopped()
            return hasStopped
        }
    }
}
