internal import GRDB

// Data that a database never replicates: the numbers of its peers, and named values such as checkpoints.
extension Database {
    /// Returns the first column of the first row of an SQL statement, as an integer, for benchmarks that measure the
    /// stored form.
    package func scalar(sql: String) throws -> Int64 {
        try reading { try $0.integer(sql) }
    }

    /// Returns the number of a remote, which is a peer with which the database replicates. A number is assigned at the
    /// first call with the remote's name. Revision trees contain these numbers.
    package func remoteNumber(_ name: String) throws -> Int {
        if let known = try knownRemoteNumber(name) { return known }
        return try writer.perform(self) { transaction in
            try transaction.connection.run("INSERT INTO remotes (name) VALUES (?1) ON CONFLICT DO NOTHING", name)
            return try knownRemoteNumber(name) ?? 0
        }
    }

    /// Returns the number of a remote, which is a peer with which the database replicates; nil if none was assigned.
    package func knownRemoteNumber(_ name: String) throws -> Int? {
        try reading {
            try $0.first("SELECT number FROM remotes WHERE name = ?1", name) { try $0.remoteNumber(at: 0) }
        }
    }

    /// Returns a value that isn't replicated, by its name in a store (a set of such values), and its revision, if it
    /// has one; nil if there is no such value.
    package func localValue(store: String, name: String) throws -> (revision: String?, value: [UInt8])? {
        try reading { try $0.localValue(store, name) }
    }

    /// Sets a value that isn't replicated, and its revision (nil for none), by the value's name in a store (a set of
    /// such values).
    package func setLocalValue(store: String, name: String, revision: String? = nil, value: [UInt8]) throws {
        try writer.perform(self) { try $0.connection.setLocalValue(store, name, revision: revision, value) }
    }

    /// Sets a value that isn't replicated, by its name in a store (a set of such values), if its stored revision is the
    /// expected one.
    ///
    /// - Parameters:
    ///   - store: the name of the store.
    ///   - name: the value's name.
    ///   - revision: the new revision.
    ///   - value: the new content.
    ///   - isExpected: returns whether the stored revision, nil for a value that has none or doesn't exist, is the
    ///     expected one; called within the transaction.
    /// - Returns: true if the value was set.
    /// - Throws: errors from reading and writing.
    package func setLocalValue(
        store: String, name: String, revision: String, value: [UInt8], if isExpected: (String?) -> Bool
    ) throws -> Bool {
        try writer.perform(self) { _ in
            guard isExpected(try self.localValue(store: store, name: name)?.revision) else { return false }
            try self.setLocalValue(store: store, name: name, revision: revision, value: value)
            return true
        }
    }

    /// Removes values of a store, a set of values that aren't replicated, that are too old or too many. Their revisions
    /// have the form `N-… S`: the number of times that the value was saved, and the time of the last save, in seconds
    /// since 1970.
    ///
    /// If the store exceeds `count` or `byteCount`, values are removed, oldest first, until it has at most seven
    /// eighths of both. Each save of a value counts as if it were one day newer, up to 30 days, so that the values of a
    /// peer that connects often are kept when many values with new names are stored. A value without a time counts as
    /// the oldest.
    ///
    /// - Parameters:
    ///   - store: the name of the store.
    ///   - name: the name of a value that is not removed.
    ///   - count: the maximum number of values.
    ///   - byteCount: the maximum number of bytes of all names and values.
    ///   - earliest: the time, in seconds since 1970, before which a value is too old.
    ///   - limit: the maximum number of values that this call removes.
    /// - Returns: true if nothing is left to be done; false if `limit` values were removed, so that others may be left.
    /// - Throws: errors from reading and writing.
    package func trimLocalValues(
        store: String, keeping name: String, count: Int, byteCount: Int, savedSince earliest: UInt64,
        atMost limit: Int
    ) throws -> Bool {
        try writer.perform(self) { transaction in
            let size = try transaction.connection.first(
                """
                SELECT count(*), ifnull(sum(length(CAST(name AS BLOB)) + length(value)), 0) FROM local_values
                WHERE store = ?1
                """, store
            ) { (Int($0.int64(at: 0)), Int($0.int64(at: 1))) }
            guard var (found, bytes) = size else { return true }
            let isTooMuch = found > count || bytes > byteCount
            let (countGoal, byteGoal) = isTooMuch ? (count - count / 8, byteCount - byteCount / 8) : (count, byteCount)
            var names: [String] = []
            func collect(_ condition: String, while isNeeded: () -> Bool) throws {
                let oldest = try PreparedStatement(
                    transaction.connection,
                    """
                    SELECT name, length(CAST(name AS BLOB)) + length(value) FROM (
                        SELECT name, value, CAST(revision AS INTEGER) AS saves,
                            ifnull(CAST(substr(revision, instr(revision, ' ') + 1) AS INTEGER), 0) AS saved
                        FROM local_values WHERE store = ?1 AND name <> ?2)
                    WHERE \(condition) ORDER BY saved + 86400 * min(saves, 30), name LIMIT ?3
                    """, store, name, limit - names.count, Int64(clamping: earliest))
                while isNeeded(), try oldest.step() {
                    names.append(oldest.text(at: 0))
                    (found, bytes) = (found - 1, bytes - Int(oldest.int64(at: 1)))
                }
            }
            try collect("saved < ?4") { true }
            try collect("saved >= ?4") { found > countGoal || bytes > byteGoal }
            for name in names { try self.removeLocalValue(store: store, name: name) }
            return names.count < limit
        }
    }

    /// Removes a value that isn't replicated, by its name in a store (a set of such values), if there is one.
    package func removeLocalValue(store: String, name: String) throws {
        try writer.perform(self) { try $0.connection.removeLocalValue(store, name) }
    }
}

extension GRDB.Database {
    /// Returns a value that isn't replicated, by its name in a store, and its revision; nil if there is no such value.
    func localValue(_ store: String, _ name: String) throws -> (revision: String?, value: [UInt8])? {
        try first("SELECT revision, value FROM local_values WHERE store = ?1 AND name = ?2", store, name) { row in
            (row.isNull(at: 0) ? nil : row.text(at: 0), row.bytes(at: 1) ?? [])
        }
    }

    /// Sets a value that isn't replicated, by its name in a store, and its revision.
    func setLocalValue(_ store: String, _ name: String, revision: String? = nil, _ value: [UInt8]) throws {
        try run(
            "INSERT OR REPLACE INTO local_values (store, name, revision, value) VALUES (?1, ?2, ?3, ?4)", store, name,
            revision, value)
    }

    /// Returns whether a store has a value.
    func hasLocalValue(in store: String) throws -> Bool {
        try hasRow("SELECT 1 FROM local_values WHERE store = ?1 LIMIT 1", store)
    }

    /// Removes all values of a store.
    func removeLocalValues(_ store: String) throws { try run("DELETE FROM local_values WHERE store = ?1", store) }

    /// Removes a value that isn't replicated, by its name in a store, if there is one.
    func removeLocalValue(_ store: String, _ name: String) throws {
        try run("DELETE FROM local_values WHERE store = ?1 AND name = ?2", store, name)
    }
}
