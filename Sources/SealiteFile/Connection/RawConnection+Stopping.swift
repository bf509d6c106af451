import CSQLite

extension RawConnection {
    /// Runs statements that are interrupted once `isStopped` returns true. The closure is called every few milliseconds
    /// on the calling thread while SQLite works.
    ///
    /// - Throws: `cancelled` if `isStopped` returned true, otherwise the errors of `body`.
    package func stopping<Result>(
        if isStopped: @escaping () -> Bool, _ body: () throws(SealedFileError) -> Result
    ) throws(SealedFileError) -> Result {
        var hasStopped = false
        do throws(SealedFileError) {
            return try unsafe ProgressHandler.run(
                on: handle, every: 20_000,
                { _ in
                    hasStopped = hasStopped || isStopped()
                    return hasStopped
                }, body)
        } catch {
            guard hasStopped else { throw error }
            throw SealedFileError(.cancelled, "the work on \"\(path)\" was cancelled, and nothing of it was kept")
        }
    }
}
