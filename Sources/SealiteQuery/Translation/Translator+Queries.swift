internal import SealiteQueryLanguage

extension Translator {
    /// Translates a query: one SELECT, or several that set operations combine.
    mutating func query(_ query: Tree.Query, _ outer: NameScope?) throws -> TranslatedQuery {
        live?.queryCount += 1
        let scope = NameScope(outer)
        let with = try commonTables(query, scope)
        let around = query.commonTables.isEmpty ? outer : scope
        var translated: TranslatedQuery
        if case .select(let select) = query.first, query.combinations.isEmpty {
            translated = try self.select(select, order: query.order, of: query, around)
        } else {
            translated = try compound(query, around)
        }
        translated.sql = translated.sql + (try limits(query, NameScope(outer)))
        if let columns = translated.nearestColumns {
            translated.sql = "SELECT \(columns.joined(separator: ", ")) FROM (\(translated.sql)) ORDER BY nearest"
            translated.nearestColumns = nil
        }
        translated.sql = with + translated.sql
        return translated
    }

    private mutating func operand(_ operand: QueryOperand, _ outer: NameScope?) throws -> TranslatedQuery {
        switch operand {
        case .select(let select): try self.select(select, order: [], outer)
        case .query(let query): try self.query(query, outer)
        }
    }

    // MARK: - WITH

    /// Translates the WITH clause of a query, adds its names to the scope, and returns its SQL; empty without WITH.
    private mutating func commonTables(_ query: Tree.Query, _ scope: NameScope) throws -> String {
        var parts: [String] = []
        for table in query.commonTables {
            guard !scope.commonTables.contains(where: { CaselessNames.areSame($0.name, table.name) }) else {
                throw QueryFailure("duplicate name '\(table.name)' in WITH", at: table.position)
            }
            let alias = nextAlias()
            if query.isRecursive {
                // The columns of a recursive table are those of its first operand, which can't refer to the table
                // itself.
                var probe = self
                let first = try probe.operand(table.query.first, scope)
                scope.commonTables.append(
                    CommonTableEntry(name: table.name, sql: alias, columns: first.columns, isValue: first.isValue))
            }
            let translated = try self.query(table.query, scope)
            if !query.isRecursive {
                scope.commonTables.append(
                    CommonTableEntry(
                        name: table.name, sql: alias, columns: translated.columns, isValue: translated.isValue))
            }
            assert(
                scope.commonTables.last?.columns.count == translated.columns.count,
                "a table has the columns of its first query")
            let columns = translated.columns.indices.map { "c\($0)" }.joined(separator: ", ")
            parts.append("\(alias)(\(columns)) AS (\(translated.sql))")
        }
        return parts.isEmpty ? "" : "WITH \(query.isRecursive ? "RECURSIVE " : "")\(parts.joined(separator: ", ")) "
    }

    // MARK: - Set operations

    private mutating func compound(_ query: Tree.Query, _ outer: NameScope?) throws -> TranslatedQuery {
        let first = try operand(query.first, outer)
        let columns = first.columns.indices.map { "c\($0)" }.joined(separator: ", ")
        let isUnionAll = query.combinations.allSatisfy { $0.op == .union && $0.isAll }
        var sql = Self.side(query.first, first, columns, isExact: isUnionAll)
        for combination in query.combinations {
            let right = try operand(combination.operand, outer)
            guard right.columns.count == first.columns.count else {
                throw QueryFailure(
                    "the queries of \(combination.op.rawValue) have different numbers of columns: \(first.columns.count) and "
                        + "\(right.columns.count)",
                    at: combination.position)
            }
            let side = Self.side(combination.operand, right, columns, isExact: isUnionAll)
            if combination.isAll, combination.op != .union {
                // SQLite has no INTERSECT ALL, so equal rows are numbered on both sides.
                let numbered = "\(columns), row_number() OVER (PARTITION BY \(columns)) AS copy"
                sql = """
                    SELECT \(columns) FROM (SELECT \(numbered) FROM (\(sql)) \(combination.op.rawValue) \
                    SELECT \(numbered) FROM (\(side)))
                    """
            } else {
                sql += " \(combination.op.rawValue)\(combination.isAll ? " ALL" : "") \(side)"
            }
        }
        guard !query.order.isEmpty else {
            return TranslatedQuery(sql: sql, columns: first.columns, isValue: first.isValue)
        }
        let rows = QuerySource(nil, sql: nextAlias(), .rows(columns: first.columns, isValue: first.isValue))
        let scope = NameScope(outer)
        scope.sources = [rows]
        let order = try self.order(query.order, scope, columns: first.columns.indices.map { "\(rows.sql).c\($0)" })
        sql = "SELECT \(columns) FROM (\(sql)) AS \(rows.sql) ORDER BY \(order)"
        return TranslatedQuery(sql: sql, columns: first.columns, isValue: first.isValue)
    }

    /// Returns the SQL for an operand of a set operation. Its values are converted so that equal values have equal
    /// bytes, unless the operation only appends rows.
    private static func side(
        _ operand: QueryOperand, _ translated: TranslatedQuery, _ columns: String, isExact: Bool
    ) -> String {
        if isExact, case .select = operand { return translated.sql }
        let values = translated.columns.indices.map { isExact ? "c\($0)" : "query_group(c\($0)) AS c\($0)" }
        return "SELECT \(values.joined(separator: ", ")) FROM (\(translated.sql))"
    }

    // MARK: - ORDER BY, LIMIT

    /// Translates the terms of ORDER BY. `columns` are the SQL of the result's columns; an integer literal as a term is
    /// the number of one, from 1.
    mutating func order(_ terms: [Tree.OrderTerm], _ scope: NameScope, columns: [String]) throws -> String {
        var parts: [String] = []
        for term in terms {
            var piece: SQLPiece
            let outer = collation
            defer { collation = outer }
            var expression = term.expression
            if case .collate(let inner, let given) = expression { (expression, collation) = (inner, given.name) }
            if let position = Self.position(expression), !columns.isEmpty {
                guard columns.indices.contains(position - 1) else {
                    throw QueryFailure(
                        "ORDER BY \(position) stands for the result's column with that number, and the columns have the numbers "
                            + "1 to \(columns.count)", at: term.position)
                }
                piece = SQLPiece(columns[position - 1])
            } else {
                piece = try self.piece(expression, scope)
            }
            let direction = term.direction == .descending ? " DESC" : ""
            if let nulls = term.nulls {
                parts.append("(ifnull(\(piece.value), x'00') = x'00')\(nulls == .first ? " DESC" : "")")
            }
            parts.append(sortKey(piece) + direction)
        }
        return parts.joined(separator: ", ")
    }

    /// Returns the SQL of the key by which SQLite sorts rows in the order of an expression's values.
    mutating func sortKey(_ expression: Tree.Expression, _ scope: NameScope) throws -> String {
        let (inner, name) = expression.withoutCollation
        let outer = collation
        defer { collation = outer }
        if let name { collation = name }
        return sortKey(try piece(inner, scope))
    }

    /// Returns the SQL of the key by which SQLite sorts rows in the order of the values of a piece of SQL.
    private func sortKey(_ piece: SQLPiece) -> String {
        if collation == nil, piece.form == .number || piece.form == .text { return piece.sql }
        return "query_sort(\(piece.value)\(collation.map { ", \(SQLText.string($0))" } ?? ""))"
    }

    /// Returns the number of a result's column, from 1, that an integer literal in ORDER BY or GROUP BY denotes; nil
    /// for any other expression.
    static func position(_ expression: Tree.Expression) -> Int? {
        guard case .literal(.number(let text)) = expression else { return nil }
        return Int(text)
    }

    private mutating func limits(_ query: Tree.Query, _ scope: NameScope) throws -> String {
        guard query.limit != nil || query.offset != nil else { return "" }
        let limit = try query.limit.map { try count($0, scope) } ?? "-1"
        return " LIMIT \(limit)" + (try query.offset.map { " OFFSET \(try count($0, scope))" } ?? "")
    }

    /// Returns the SQL of the sum of LIMIT and OFFSET, the number of rows that must be read; nil without LIMIT.
    mutating func rowCount(_ query: Tree.Query, _ scope: NameScope) throws -> String? {
        guard let limit = query.limit else { return nil }
        let offset = try query.offset.map { " + \(try count($0, scope))" } ?? ""
        return try count(limit, scope) + offset
    }

    private mutating func count(_ expression: Tree.Expression, _ scope: NameScope) throws -> String {
        if case .literal(.number(let text)) = expression { return text.hasPrefix("-") ? "0" : text }
        return "max(\(try value(expression, scope)), 0)"
    }
}
