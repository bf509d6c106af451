internal import SealiteDatabase

extension Database {
    /// Reads a few rows from one state of the database, on the task's own thread where no waiting is needed.
    func readShortly<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        if let result = try readIfIdle(body) { return result }
        return try await read(body)
    }
}
