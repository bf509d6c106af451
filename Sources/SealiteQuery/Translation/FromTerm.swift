internal import SealiteDatabase
internal import SealiteQueryLanguage

/// One term of a FROM clause in SQL.
struct FromTerm {
    enum Kind {
        case first, inner, left, cross
    }

    let kind: Kind
    /// The table, the subquery or the table-valued call.
    let rows: String
    let source: QuerySource
    /// The terms of the condition of a join, with their SQL.
    var condition: [(term: Tree.Expression, sql: String)] = []
    /// The access path to the documents through an index; nil if there is none.
    var access: AccessPath?
    /// A Boolean value that says whether only the keys of the index are needed.
    var isKeysOnly = false
    /// The conditions that count the visited rows, if they are measured.
    var visits: [String] = []

    /// The condition that a row is that of a live document; nil if every row takes part.
    var liveness: String? {
        guard case .documents = source.kind, !source.hasDeleted else { return nil }
        return "\(source.prefix)number > 0"
    }
}

extension FromTerm {
    /// A column that every row of the term has.
    private var anyColumn: String {
        switch source.kind {
        case .documents: "number"
        case .elements: "value"
        case .rows: "c0"
        }
    }

    /// Sets the conditions that count visited rows. To be called when the tables of the plan are known.
    mutating func countVisits(_ translator: inout Translator) {
        let keys = access.flatMap { isSubquery($0) ? nil : translator.visit($0.alias, "document") }
        let rows = isKeysOnly ? nil : translator.visit(source.sql, anyColumn)
        let words = source.textAccess.flatMap { translator.visit($0.alias, "rowid") }
        visits = [keys, words, rows].compactMap { $0 }
    }

    /// Returns whether the table of an index is in a subquery, in which rows aren't counted.
    private func isSubquery(_ access: AccessPath) -> Bool {
        if kind == .left { return true }
        guard access.index.levels != nil else { return false }
        return !isKeysOnly || (access.elements == nil && !access.conditions.isEmpty)
    }

    /// Returns the table of the term, through an index if there is an access path; its conditions are added to those of
    /// WHERE.
    func table(_ conditions: inout [String]) -> String {
        let rows = "\(self.rows) AS \(source.sql)"
        conditions += visits
        if let access = source.textAccess {
            conditions += [
                "\(access.handle) MATCH \(access.expression)", access.best,
                "\(source.prefix)number = \(access.alias).rowid",
            ].compactMap { $0 }
            return "\(access.index.table) AS \(access.alias) CROSS JOIN \(rows)"
        }
        guard let access else {
            if let liveness { conditions.append(liveness) }
            return rows
        }
        if isKeysOnly {
            if isSubquery(access) { return access.documents }
            conditions += access.conditions
            return access.table
        }
        if access.index.levels != nil {
            // A document can have several entries there.
            conditions += [lookup].compactMap { $0 }
            return rows
        }
        conditions += access.conditions + ["\(source.sql).number = \(access.alias).document"]
        // SQLite keeps the order of a CROSS JOIN: the keys are searched first, and the documents are read by the
        // numbers found.
        return "\(access.table) CROSS JOIN \(rows)"
    }

    /// The condition that a row of an outer join is one to which the index leads.
    var lookup: String? {
        access.map { access in
            let keys = access.conditions.joined(separator: " AND ")
            return "\(source.sql).number IN (SELECT \(access.alias).document FROM \(access.table) WHERE \(keys))"
        }
    }
}
