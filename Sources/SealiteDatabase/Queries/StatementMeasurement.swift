internal import GRDB
internal import SealiteFunctions

/// The work that one run of a statement took.
package struct StatementMeasurement: Sendable {
    /// The number of rows that the statement gave.
    package var rowCount = 0
    /// The numbers of rows that its sources visited, by the numbers of `query_visited`.
    package var visits: [Int64] = []
    /// The pages that SQLite asked its cache for.
    package var pageRequestCount = 0
    /// The pages among them that weren't in the cache: each was read from the file and opened.
    package var openedPageCount = 0
    /// The time from the first step to the last.
    package var duration = Duration.zero
}

extension Database {
    /// Runs a statement to its end and measures it.
    ///
    /// - Parameters:
    ///   - sql: the statement, which only reads.
    ///   - visitCount: the number of counters of `query_visited`, whose first argument is the parameter `visitPosition`.
    ///   - visitPosition: the position of that parameter.
    ///   - bind: binds the other parameters.
    /// - Returns: what was measured.
    /// - Throws: what `bind` throws, `notOpen`, and what the storage throws.
    package func measure(
        _ sql: String, visitCount: Int, visitPosition: Int, bind: (borrowing PreparedStatement) throws -> Void
    ) throws -> StatementMeasurement {
        try reading { connection in
            let visits = RowVisits(count: visitCount)
            var measurement = StatementMeasurement()
            let statement = try PreparedStatement(once: sql, connection)
            try bind(statement)
            if visitCount > 0 { statement.bind(visits, at: CInt(visitPosition)) }
            let before = ConnectionHandle(connection).pageCounts
            let clock = ContinuousClock()
            let start = clock.now
            while try statement.step() { measurement.rowCount += 1 }
            measurement.duration = clock.now - start
            let after = ConnectionHandle(connection).pageCounts
            measurement.openedPageCount = after.misses - before.misses
            measurement.pageRequestCount = after.hits - before.hits + measurement.openedPageCount
            measurement.visits = visits.counts
            return measurement
        }
    }

    /// The number of rows that SQLite's statistics say an equality on the first `equalCount` columns of a table leads to, and the number of all rows; nil
    /// without statistics. <https://sqlite.org/fileformat2.html#the_sqlite_stat1_table>
    package func statistics(ofTable table: String, equalCount: Int) throws -> (rows: Int64, equalRows: Int64)? {
        try reading { connection in
            let exists = try PreparedStatement(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'")
            guard try exists.step() else { return nil }
            let statement = try PreparedStatement(
                connection, "SELECT stat FROM sqlite_stat1 WHERE tbl = ?1 AND idx = ?1")
            statement.bind(table, at: 1)
            guard try statement.step() else { return nil }
            let numbers = statement.text(at: 0).split(separator: " ").compactMap { Int64($0) }
            guard let rows = numbers.first, numbers.indices.contains(equalCount) else { return nil }
            return (rows, numbers[equalCount])
        }
    }

    /// The greatest number of a collection's documents, which is about how many there ever were.
    package func greatestDocumentNumber(ofCollection collection: Int) throws -> Int64 {
        try reading { try $0.integer("SELECT ifnull(max(number), 0) FROM documents_\(collection)") }
    }
}
