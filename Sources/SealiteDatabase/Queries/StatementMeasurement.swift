internal import SealiteFunctions

/// The work of one run of a statement.
package struct StatementMeasurement: Sendable {
    /// The number of rows that the statement returned.
    package var rowCount = 0
    /// The number of rows that each source of the statement visited, counted by the SQL function `query_visited`, in
    /// the order of its counters.
    package var visits: [Int64] = []
    /// The number of pages that SQLite requested from its cache.
    package var pageRequestCount = 0
    /// The number of requested pages that weren't in the cache; each was read from the file and decrypted.
    package var openedPageCount = 0
    /// The time that the statement ran, from its first step to its last.
    package var duration = Duration.zero
}

extension Database {
    /// Runs a statement to its end and measures it.
    ///
    /// - Parameters:
    ///   - sql: the statement, which only reads.
    ///   - visitCount: the number of counters that the statement's calls of the SQL function `query_visited` increment.
    ///   - visitPosition: the position, from 1, of the statement's parameter to which the counters are bound. It is the
    ///     first argument of `query_visited`.
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

    /// Returns the number of rows of a WITHOUT ROWID table, and the average number of rows that have the same values in
    /// the first `equalCount` columns of its primary key, both from SQLite's statistics; nil if there are none for the
    /// table. <https://sqlite.org/fileformat2.html#the_sqlite_stat1_table>
    package func statistics(ofTable table: String, equalCount: Int) throws -> (rows: Int64, equalRows: Int64)? {
        try reading { connection in
            guard try connection.hasRow("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'") else { return nil }
            return try connection.first("SELECT stat FROM sqlite_stat1 WHERE tbl = ?1 AND idx = ?1", table) { row in
                let numbers = row.text(at: 0).split(separator: " ").compactMap { Int64($0) }
                guard let rows = numbers.first, numbers.indices.contains(equalCount) else { return nil }
                return (rows, numbers[equalCount])
            }
        }
    }

    /// Returns the greatest document number that a live document of the collection with a number has; 0 if there is
    /// none. Documents are numbered in the order of their creation, so this approximates the number of documents ever
    /// created.
    package func greatestDocumentNumber(ofCollection collection: Int) throws -> Int64 {
        try reading { try $0.integer("SELECT ifnull(max(number), 0) FROM documents_\(collection)") }
    }
}
