internal import SealiteDatabase

extension Database {
    /// Reads a few rows from one snapshot of the database: on the task's own thread if no connection has to be waited
    /// for, otherwise on a thread of the database.
    func readShortly<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        if let result = try readIfIdle(body) { return result }
        return try await read(body)
    }
}
