extension Database {
    /// Runs `body` in the calling thread's transaction and marks the documents that it saves as replaced, not edited,
    /// for subscriptions that distinguish the two. Outside of a transaction, `body` runs and nothing is marked.
    package func replacing<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let transaction = writer.current else { return try body() }
        let before = transaction.isReplacing
        transaction.isReplacing = true
        defer { transaction.isReplacing = before }
        return try body()
    }
}
