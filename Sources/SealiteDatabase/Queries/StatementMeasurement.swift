internal import GRDB
internal import SealiteFunctions

/// The work of one run of a statement.
package struct StatementMeasurement: Sendable {
    /// The number of rows that the statement returned.
    package var rowCount = 0
    /// The numbers of rows that the statement's sources visited, in the order of the `query_visited` counters.
    package var visits: [Int64] = []
    /// The number of pages that SQLite requested from its cache.
    package var pageRequestCount = 0
    /// The number of requested pages that weren't in the cache; each was read from the file and decrypted.
    package var openedPageCount = 0
    /// The time from the first step to the last.
    package var duration = Duration.zero
}

extension Database {
    /// Runs a statement to its end and measures it.
    ///
    /// - Parameters:
    ///   - sql: the statement, which only reads.
    ///   - visitCount: the number of counters of `query_visited`, whose first argument is the parameter
    ///     `visitPosition`.
    ///   - visitPosition: the position of that parameter.
    ///   - bind: binds the statement's parameters other than the counters.
    /// - Returns: the measurement.
    /// - Throws: the errors of `bind`, `notOpen`, and errors of the storage.
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

    /// Returns the number of rows of a table, and the average number of rows that have the same values in the first
    /// `equalCount` columns, both from SQLite's statistics; nil without statistics.
    /// <https://sqlite.org/fileformat2.html#the_sqlite_stat1_table>
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

    /// Returns the greatest number of a collection's documents, which approximates the number of documents ever
    /// created.
    package func greatestDocumentNumber(ofCollection collection: Int) throws -> Int64 {
        try reading { try $0.integer("SELECT ifnull(max(number), 0) FROM documents_\(collection)") }
    }
}
