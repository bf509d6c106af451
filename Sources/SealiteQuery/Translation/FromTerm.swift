internal import SealiteDatabase
internal import SealiteQueryLanguage

/// One term of a FROM clause, translated to SQL.
struct FromTerm {
    enum Kind {
        case first, inner, left, cross
    }

    var kind: Kind
    /// The SQL for the rows of the term: a table, a subquery or the call of a table-valued function.
    let rows: String
    let source: QuerySource
    /// The terms of a join's ON condition, each with its SQL.
    var condition: [(term: Tree.Expression, sql: String)] = []
    /// The access path by which the documents are found through an index; nil if there is none.
    var access: AccessPath?
    /// A Boolean value that says whether the query needs only the keys of the access path's index, so that the
    /// documents aren't read.
    var isKeysOnly = false
    /// The SQL conditions, always true, that count the visited rows; empty if they aren't counted.
    var visits: [String] = []

    /// The SQL condition that the row's document isn't deleted; nil if deleted documents take part, or the rows aren't
    /// documents.
    var liveness: String? {
        guard case .documents = source.kind, !source.hasDeleted else { return nil }
        return "\(source.prefix)number > 0"
    }
}

extension FromTerm {
    /// The name of an SQL column that the rows of the term always have.
    private var anyColumn: String {
        switch source.kind {
        case .documents: "number"
        case .elements: "value"
        case .rows: "c0"
        }
    }

    /// Sets the conditions that count the rows that the term visits. Must be called after the access paths have been
    /// chosen.
    mutating func countVisits(_ translator: inout Translator) {
        assert(visits.isEmpty, "the rows of a term are counted once")
        let keys = access.flatMap { isSubquery($0) ? nil : translator.visit($0.alias, "document") }
        let rows = isKeysOnly ? nil : translator.visit(source.sql, anyColumn)
        let words = source.textAccess.flatMap { translator.visit($0.alias, "rowid") }
        visits = [keys, words, rows].compactMap { $0 }
    }

    /// Returns whether the table of an access path's index is in a subquery of the SQL, in which visited rows aren't
    /// counted.
    private func isSubquery(_ access: AccessPath) -> Bool {
        if kind == .left { return true }
        guard access.index.levels != nil else { return false }
        return !isKeysOnly || (access.elements == nil && !access.conditions.isEmpty)
    }

    /// Returns the SQL for the rows of the term, read through an index if there is an access path or a full-text search.
    /// Appends to `conditions`, the SQL terms of WHERE, those that the rows must satisfy: conditions of the index that
    /// aren't in a subquery, or without an index that documents are live, and those that count visited rows.
    func table(_ conditions: inout [String]) -> String {
        let rows = "\(self.rows) AS \(source.sql)"
        conditions += visits
        if let access = source.textAccess {
            assert(self.access == nil && !isKeysOnly, "documents that are found by words aren't found by keys")
            conditions += [
                "\(access.handle) MATCH \(access.expression)", access.best,
                "\(source.prefix)number = \(access.alias).rowid",
            ].compactMap { $0 }
            return "\(access.index.table) AS \(access.alias) CROSS JOIN \(rows)"
        }
        guard let access else {
            assert(!isKeysOnly, "keys are those of an access path")
            if let liveness { conditions.append(liveness) }
            return rows
        }
        if isKeysOnly {
            if isSubquery(access) { return access.documents }
            conditions += access.conditions
            return access.table
        }
        if access.index.levels != nil {
            // A document can have several entries in an index over elements, so the index is searched in a subquery.
            conditions += [lookup].compactMap { $0 }
            return rows
        }
        conditions += access.conditions + ["\(source.sql).number = \(access.alias).document"]
        // SQLite keeps the order of a CROSS JOIN: the keys are searched first, and the documents are read by the
        // numbers found.
        return "\(access.table) CROSS JOIN \(rows)"
    }

    /// The SQL condition that a document is one of those that the access path finds; nil without an access path.
    var lookup: String? {
        access.map { access in
            // A path through a partial index may have no conditions: every document of the index is found.
            let keys = access.conditions.isEmpty ? "" : " WHERE \(access.conditions.joined(separator: " AND "))"
            return "\(source.sql).number IN (SELECT \(access.alias).document FROM \(access.table)\(keys))"
        }
    }
}
