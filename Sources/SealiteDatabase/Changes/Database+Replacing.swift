extension Database {
    /// Runs `body`, in the transaction of the calling thread, and tells followers who ask for it that the documents which it saves were replaced by others, not
    /// edited.
    package func replacing<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let transaction = writer.current else { return try body() }
        let before = transaction.isReplacing
        transaction.isReplacing = true
        defer { transaction.isReplacing = before }
        return try body()
    }
}
