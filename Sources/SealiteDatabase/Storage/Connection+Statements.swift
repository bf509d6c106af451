internal import GRDB

extension GRDB.Database {
    /// Runs a statement without parameters or rows.
    func run(_ sql: String) throws {
        let statement = try PreparedStatement(self, sql)
        try statement.run()
    }

    /// Runs `body` in a write transaction of its own.
    func inTransaction(_ body: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE")
        do {
            try body()
            try run("COMMIT")
        } catch {
            endTransaction("ROLLBACK")
            throw error
        }
    }

    /// Ends the transaction in progress, if there is one, with the statement `COMMIT` or `ROLLBACK`. A statement that
    /// fails is repeated, at most twice, because a cancellation may interrupt it too.
    func endTransaction(_ sql: String) {
        for _ in 0..<3 where isInsideTransaction { _ = try? run(sql) }
    }

    /// Returns the first column of a statement's first row, as an integer; 0 if there is no row.
    func integer(_ sql: String) throws -> Int64 {
        let statement = try PreparedStatement(self, sql)
        return try statement.step() ? statement.int64(at: 0) : 0
    }
}
