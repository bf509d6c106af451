internal import SealiteQueryLanguage

extension Translator {
    /// Translates a statement of SQL++ to SQL.
    ///
    /// - Returns: in `found`, the query; for UPDATE and DELETE the query that finds the documents, and for INSERT the
    ///   one that returns the documents to insert. In `change`, the rest of a statement that changes documents; nil for
    ///   a query.
    mutating func statement(_ statement: Statement) throws -> (found: TranslatedQuery, change: TranslatedChange?) {
        switch statement {
        case .query(let query): return (try self.query(query, nil), nil)
        case .update(let update):
            let scope = try scope(of: update.target)
            let kind = TranslatedChange.Kind.update(
                set: try update.assignments.map { try changedPath($0.path, scope) },
                unset: try update.removals.map { try changedPath($0, scope) })
            let found = try targets(
                update.target, update.assignments.map(\.value), update.condition, update.limit)
            return (found, try change(kind, update.target, update.returning))
        case .delete(let delete):
            let found = try targets(delete.target, [], delete.condition, delete.limit)
            return (found, try change(.delete, delete.target, delete.returning))
        case .insert(let insert):
            let (found, hasKey) = try inserted(insert.content)
            return (found, try change(.insert(hasKey: hasKey), insert.target, insert.returning))
        }
    }

    private mutating func change(
        _ kind: TranslatedChange.Kind, _ target: ChangeTarget, _ returning: Projection?
    ) throws -> TranslatedChange {
        guard case .documents(let number)? = try scope(of: target).sources.first?.kind,
            let name = collectionNames[number]
        else {
            throw QueryFailure("no such collection \"\(target.collection.name)\"", at: target.collection.position)
        }
        var change = TranslatedChange(kind: kind, collection: name)
        if let returning {
            // The first translation determines the number of parameters, after which the parameter of the ID is placed.
            var probe = self
            _ = try probe.row(returning, of: target, id: "NULL")
            change.returning = try row(returning, of: target, id: "?\(probe.parameters.count + 1)")
            assert(parameters == probe.parameters, "both translations have the same parameters")
        }
        return change
    }

    // MARK: - UPDATE, DELETE

    /// Returns the SQL query that finds the documents to change, in the order of their row numbers: each row has the
    /// document's ID and the values to set.
    private mutating func targets(
        _ target: ChangeTarget, _ values: [Tree.Expression], _ condition: Tree.Expression?, _ limit: Tree.Expression?
    ) throws -> TranslatedQuery {
        let id = Tree.Expression.property(.meta([], .none), [.name(MetaKey.id.rawValue)])
        let number = Tree.Expression.property(.meta([], .none), [.name(MetaKey.rowid.rawValue)])
        let select = Tree.Select(
            .columns(([id] + values).map { Tree.ResultColumn($0) }), from: Tree.From(target.source), where: condition)
        isTranslatingChange = true
        assert(returnedID == nil, "the documents are found before RETURNING reads them")
        return try query(
            Tree.Query(.select(select), order: [Tree.OrderTerm(number)], limit: limit), nil)
    }

    /// Returns a scope, in which names are resolved, whose only source is the collection that a statement changes; for
    /// the paths of SET and UNSET.
    private mutating func scope(of target: ChangeTarget) throws -> NameScope {
        let scope = NameScope(nil)
        scope.sources = [try documents(target.collection, target.alias, scope).source]
        return scope
    }

    private func changedPath(_ path: Tree.Path, _ scope: NameScope) throws -> ChangedPath {
        guard case .source(_, let steps) = try reference(path, scope), case .name(let first)? = steps.first else {
            throw QueryFailure(
                "'\(path.root)' is a whole document, and SET and UNSET need a property of it",
                hint: "write \(path.root), a dot and the name of the property", at: path.position)
        }
        guard MetaKey.columnName(first) == nil else {
            throw QueryFailure(
                "'\(first)' belongs to META(), the metadata of a document, which SET and UNSET can't change",
                at: path.position)
        }
        return ChangedPath(Array(steps))
    }

    // MARK: - INSERT

    private mutating func inserted(_ content: Insert.Content) throws -> (found: TranslatedQuery, hasKey: Bool) {
        switch content {
        case .documents(let documents):
            assert(!documents.isEmpty, "VALUES has a document")
            assert(documents.allSatisfy { ($0.key == nil) == (documents[0].key == nil) }, "each or none has a key")
            var rows: [String] = []
            for document in documents {
                var values: [String] = []
                for part in document.parts { values.append(try value(part, NameScope(nil))) }
                rows.append("(\(values.joined(separator: ", ")))")
            }
            let sql = "VALUES \(rows.joined(separator: ", "))"
            return (TranslatedQuery(sql: sql, columns: [], isValue: false), documents.first?.key != nil)
        case .rows(let document, let query):
            let rows = try self.query(query, nil)
            // The source has no name, so that all names in expressions are the names of columns.
            let source = QuerySource(nil, sql: nextAlias(), .rows(columns: rows.columns, isValue: rows.isValue))
            let scope = NameScope(nil)
            scope.sources = [source]
            var values: [String] = []
            for part in document.parts { values.append("\(try value(part, scope)) AS c\(values.count)") }
            var term = FromTerm(kind: .first, rows: "(\(rows.sql))", source: source)
            if visited != nil { term.countVisits(&self) }
            let clause = Self.clause([term])
            var sql = "SELECT \(values.joined(separator: ", ")) FROM \(clause.from)"
            if !clause.conditions.isEmpty { sql += " WHERE \(clause.conditions.joined(separator: " AND "))" }
            return (TranslatedQuery(sql: sql, columns: [], isValue: false), document.key != nil)
        }
    }

    // MARK: - RETURNING

    /// Returns the SQL query for the row that RETURNING gives for one document. `id` is the SQL for the document's ID.
    private mutating func row(
        _ returning: Projection, of target: ChangeTarget, id: String
    ) throws -> TranslatedQuery {
        isTranslatingChange = true
        returnedID = id
        return try query(Tree.Query(Tree.Select(returning, from: Tree.From(target.source))), nil)
    }
}

extension ChangeTarget {
    fileprivate var source: Source { .collection(collection, alias: alias) }
}

extension Insert.Document {
    /// The expressions of the document's key, if there is one, and of its value.
    fileprivate var parts: [Tree.Expression] { [key].compactMap { $0 } + [value] }
}

/// The translation of an UPDATE, DELETE or INSERT, without the SQL query that finds the documents to change.
struct TranslatedChange: Sendable {
    enum Kind: Sendable {
        /// An UPDATE. The query that finds the documents returns their IDs, and a value for each of the paths in `set`.
        case update(set: [ChangedPath], unset: [ChangedPath])
        /// A DELETE. The query that finds the documents returns their IDs.
        case delete
        /// An INSERT. The query returns the new documents: their IDs and bodies, or bodies only if `hasKey` is false.
        case insert(hasKey: Bool)
    }

    let kind: Kind
    /// The scope and the name of the collection whose documents are changed.
    let collection: (scope: String, name: String)
    /// The SQL query for the row that RETURNING gives for one document; nil without RETURNING. The document's ID is the
    /// query's last parameter.
    var returning: TranslatedQuery?
}
