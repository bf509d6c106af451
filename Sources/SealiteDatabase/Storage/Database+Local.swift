internal import GRDB

// What a database keeps for itself and never replicates: who its peers are, and named values such as checkpoints.
extension Database {
    /// The first column of a SQL statement's first row, as an integer: for benchmarks, which measure the stored form.
    package func scalar(sql: String) throws -> Int64 {
        try reading { try $0.integer(sql) }
    }

    /// The number of a remote, given the first time its name is asked for. Numbers stand in revision trees.
    package func remoteNumber(_ name: String) throws -> Int {
        try writer.perform(self) { transaction in
            let insert = try PreparedStatement(
                transaction.connection, "INSERT INTO remotes (name) VALUES (?1) ON CONFLICT DO NOTHING")
            insert.bind(name, at: 1)
            try insert.run()
            let select = try PreparedStatement(transaction.connection, "SELECT number FROM remotes WHERE name = ?1")
            select.bind(name, at: 1)
            return try select.step() ? Int(select.int64(at: 0)) : 0
        }
    }

    /// A named value of a store, with its revision; nil when there is none.
    package func localValue(store: String, name: String) throws -> (revision: String?, value: [UInt8])? {
        try reading { connection in
            let statement = try PreparedStatement(
                connection, "SELECT revision, value FROM local_values WHERE store = ?1 AND name = ?2")
            statement.bind(store, at: 1)
            statement.bind(name, at: 2)
            guard try statement.step() else { return nil }
            return (statement.isNull(at: 0) ? nil : statement.text(at: 0), statement.bytes(at: 1) ?? [])
        }
    }

    /// Sets a named value of a store.
    package func setLocalValue(store: String, name: String, revision: String? = nil, value: [UInt8]) throws {
        try writer.perform(self) { transaction in
            let statement = try PreparedStatement(
                transaction.connection,
                "INSERT OR REPLACE INTO local_values (store, name, revision, value) VALUES (?1, ?2, ?3, ?4)")
            statement.bind(store, at: 1)
            statement.bind(name, at: 2)
            if let revision { statement.bind(revision, at: 3) } else { statement.bindNull(at: 3) }
            statement.bind(value, at: 4)
            try statement.run()
        }
    }

    /// Sets a named value of a store if its revision is still `expected`, nil for a value that isn't there.
    ///
    /// - Returns: whether it was set.
    package func setLocalValue(
        store: String, name: String, expecting expected: String?, revision: String, value: [UInt8]
    ) throws -> Bool {
        try writer.perform(self) { _ in
            guard try self.localValue(store: store, name: name)?.revision == expected else { return false }
            try self.setLocalValue(store: store, name: name, revision: revision, value: value)
            return true
        }
    }

    /// Removes values of a store that has become too large: those with the lowest number at the beginning of their revision
    /// first, and enough of them that it isn't too large again soon.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - name: a value that stays.
    ///   - count: most values.
    ///   - byteCount: most bytes of all values.
    /// - Throws: what reading and writing throw.
    package func limitLocalValues(store: String, except name: String, count: Int, byteCount: Int) throws {
        try writer.perform(self) { transaction in
            let size = try PreparedStatement(
                transaction.connection,
                "SELECT count(*), ifnull(sum(length(value)), 0) FROM local_values WHERE store = ?1")
            size.bind(store, at: 1)
            guard try size.step() else { return }
            let (found, bytes) = (Int(size.int64(at: 0)), Int(size.int64(at: 1)))
            guard found > count || bytes > byteCount else { return }
            let statement = try PreparedStatement(
                transaction.connection,
                """
                DELETE FROM local_values WHERE store = ?1 AND name IN (
                    SELECT name FROM local_values WHERE store = ?1 AND name <> ?2
                    ORDER BY CAST(revision AS INTEGER), length(value) DESC, name LIMIT ?3)
                """)
            statement.bind(store, at: 1)
            statement.bind(name, at: 2)
            statement.bind(Int64(max(found / 4, found - count)), at: 3)
            try statement.run()
        }
    }

    /// Removes a named value of a store, if it is there.
    package func removeLocalValue(store: String, name: String) throws {
        try writer.perform(self) { transaction in
            let statement = try PreparedStatement(
                transaction.connection, "DELETE FROM local_values WHERE store = ?1 AND name = ?2")
            statement.bind(store, at: 1)
            statement.bind(name, at: 2)
            try statement.run()
        }
    }
}
