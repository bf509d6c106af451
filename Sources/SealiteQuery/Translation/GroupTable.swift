internal import SealiteQueryLanguage

/// A subquery with the rows that a query over one collection groups: the values that the query needs from each
/// document, and the number of documents that have these values.
///
/// For grouping, SQLite sorts rows with every column of the tables that the query reads, whole bodies included. The
/// rows of this subquery have only the required values.
struct GroupTable {
    let source: QuerySource

    /// Creates the group table of a FROM clause; nil if the clause isn't one collection.
    init?(_ terms: [FromTerm]) {
        guard terms.count == 1, let source = terms.first?.source, case .documents = source.kind else { return nil }
        self.source = source
    }

    /// The name of the group table's column with the number of documents.
    static let count = "n"

    /// Returns the SQL of the group table with one row for each document. `from` is the SQL of the FROM clause, and
    /// `conditions` are the SQL terms of WHERE.
    func table(_ from: String, _ conditions: [String]) -> String {
        table("1", "\(from)\(conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")")
    }

    /// Returns the SQL of the group table with one row for each group of documents whose values are byte-identical. The
    /// groups are counted in bounded memory; documents that are read after the bound is reached have one row each.
    func countedTable(_ from: String, _ conditions: [String], _ alias: String) -> String {
        assert(!source.isCollecting, "all columns of the group table are known")
        let number = "\(source.prefix)number"
        let values = source.collected.map { ", \($0)" }.joined()
        let all = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
        let beyond = "\(number) > (SELECT query_value(groups, 0) FROM \(alias))"
        let rest = ([beyond] + conditions).joined(separator: " AND ")
        let columns = source.collected.indices.map { ", query_value(e.value, \($0 + 1), 0) AS v\($0)" }.joined()
        return """
            (WITH \(alias)(groups) AS MATERIALIZED (SELECT query_groups(\(number)\(values)) FROM \(from)\(all)) \
            SELECT query_value(e.value, 0) AS \(Self.count)\(columns) \
            FROM \(alias), query_each(query_value(\(alias).groups, 1)) AS e \
            UNION ALL SELECT 1\(values) FROM \(from) WHERE \(rest)) AS \(source.groupAlias)
            """
    }

    /// Returns the SQL of the group table. `count` is the SQL for the number of documents of a row, and `from` that of
    /// the FROM clause. LIMIT -1 keeps SQLite from moving the expressions into the enclosing query.
    fileprivate func table(_ count: String, _ from: String) -> String {
        assert(!source.isCollecting, "all columns of the group table are known")
        let values = source.collected.enumerated().map { ", \($1) AS v\($0)" }.joined()
        return "(SELECT \(count) AS \(Self.count)\(values) FROM \(from) LIMIT -1) AS \(source.groupAlias)"
    }
}

extension Translator {
    /// Returns the SQL of the group table's column whose sum is `COUNT(*)`; nil if the call is another aggregate, and
    /// if there is no group table.
    func countedRows(_ call: FunctionCall, _ scope: NameScope) -> String? {
        guard call.name == "COUNT", call.arguments.first?.isStar ?? true, call.filter == nil, call.window == nil,
            scope.sources.count == 1, let source = scope.sources.first, source.isCollecting
        else { return nil }
        return "\(source.groupAlias).\(GroupTable.count)"
    }

    /// Returns the SQL of a group table that is read from an index, with one row for each key and the values of one of
    /// its documents; nil if no index contains everything that the query needs.
    mutating func countedKeys(
        _ group: GroupTable, _ term: FromTerm, _ groups: [Tree.Expression], _ filter: [Tree.Expression],
        _ scope: NameScope
    ) throws -> String? {
        guard case .documents(let collection) = group.source.kind, !hasOtherAggregates, !group.source.hasDeleted
        else { return nil }
        let target = AccessTarget(
            source: group.source, collection: collection, terms: filter, scope: scope, known: [])
        assert(!group.source.isCollecting, "the values are those of documents, not of the group table")
        var (keys, values) = ([PlannedIndex.Key](), [String]())
        for expression in groups.map(\.withoutCollation.0) {
            guard Self.position(expression) == nil, let relative = relative(expression, target) else { return nil }
            keys.append(PlannedIndex.Key(relative, collation: nil))
            values.append(try value(expression, scope))
        }
        guard group.source.collected.allSatisfy(values.contains),
            let path = try groupPath(keys, term, filter, collection)
        else { return nil }
        let columns = path.index.keys.indices.filter { keys.contains(path.index.keys[$0]) }
            .map { "\(path.alias).key\($0 + 1)" }
        // Truncated keys, and the empty keys of damaged values, can be equal although the values differ. Therefore each
        // document with such a key has a row of its own.
        let isWhole = columns.map { "length(\($0)) BETWEEN 1 AND 959" }.joined(separator: " AND ")
        let conditions = path.conditions.map { "\($0) AND " }.joined()
        // Both parts of the table read the same keys, so only one of them counts the visited rows.
        let visit = visit(path.alias, "document").map { "\($0) AND " } ?? ""
        let (document, rows) = ("\(path.alias).document", nextAlias())
        let from = """
            (SELECT count(*) AS n, \(document) AS document FROM \(path.table) WHERE \(visit)\(conditions)\(isWhole) \
            GROUP BY \(columns.joined(separator: ", ")) UNION ALL \
            SELECT 1, \(document) FROM \(path.table) WHERE \(conditions)NOT (\(isWhole))) AS \(rows) \
            CROSS JOIN \(term.rows) AS \(group.source.sql) WHERE \(group.source.prefix)number = \(rows).document
            """
        return group.table("\(rows).n", from)
    }

    /// Returns the access path through an index whose keys contain all values that the groups need, and whose
    /// conditions alone determine the documents that take part; nil if there is none.
    private mutating func groupPath(
        _ keys: [PlannedIndex.Key], _ term: FromTerm, _ filter: [Tree.Expression], _ collection: Int
    ) throws -> AccessPath? {
        if let access = term.access {
            let isExact = filter.indices.allSatisfy { access.exact[$0] == true }
            return isExact && keys.allSatisfy(access.index.keys.contains) ? access : nil
        }
        let indexes = try indexes(ofCollection: collection)
        guard filter.isEmpty, !keys.isEmpty,
            let index = indexes.first(where: { $0.condition == nil && $0.keys.starts(with: keys) })
        else { return nil }
        let path = AccessPath(index: index, alias: nextAlias())
        use(path)
        return path
    }
}
