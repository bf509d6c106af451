internal import SealiteQueryLanguage

extension Translator {
    /// The target of a path's first names, with the steps that follow these names.
    enum Meaning {
        case source(QuerySource, ArraySlice<PathStep>)
        case sql(String, ArraySlice<PathStep>)
        case definition(NameScope.Definition, ArraySlice<PathStep>)
    }

    // MARK: - Paths

    mutating func path(_ path: Tree.Path, _ scope: NameScope) throws -> SQLPiece {
        switch try reference(path, scope) {
        case .definition(let definition, let steps):
            let piece = try self.piece(definition.expression, definition.scope)
            return steps.isEmpty ? piece : SQLPiece(Located(base: piece.value, steps: steps).value)
        case .sql(let sql, let steps): return SQLPiece(Located(base: sql, steps: steps).value)
        case .source(let source, let steps):
            if let key = Self.metaName(steps.first), case .documents = source.kind {
                guard steps.count == 1 else {
                    throw QueryFailure(
                        "invalid properties after a meta property",
                        hint: "META().\(key.rawValue) has no members or elements", at: path.position)
                }
                return metaPiece(source, key)
            }
            return SQLPiece(located(source, steps).map(\.value) ?? "NULL")
        }
    }

    /// Returns the base value and the steps of a path; nil if the expression isn't a path into a document or a value.
    mutating func located(_ expression: Tree.Expression, _ scope: NameScope) throws -> Located? {
        guard case .path(let path) = expression else { return nil }
        switch try reference(path, scope) {
        case .definition(let definition, let steps):
            guard steps.isEmpty else { return nil }
            return try located(definition.expression, definition.scope)
        case .sql(let sql, let steps): return Located(base: sql, steps: steps)
        case .source(let source, let steps):
            if Self.metaName(steps.first) != nil, case .documents = source.kind { return nil }
            return located(source, steps)
        }
    }

    /// Returns the base value and the steps of a path into the values of a source; nil if the path leads nowhere.
    private func located(_ source: QuerySource, _ steps: ArraySlice<PathStep>) -> Located? {
        switch source.kind {
        case .documents:
            let place = source.place("body", steps)
            return source.isCollecting ? Located(base: source.column(place.value), steps: []) : place
        case .elements: return source.place("value", steps)
        case .rows(_, isValue: true): return source.place("c0", steps)
        case .rows(let columns, _):
            guard let first = steps.first else {
                return Located(base: Self.rowObject(source.prefix, columns), steps: [])
            }
            guard case .name(let name) = first, let index = columns.firstIndex(of: name) else { return nil }
            return Located(base: "\(source.prefix)c\(index)", steps: steps.dropFirst())
        }
    }

    /// Returns the SQL for an object whose members are the columns of a subquery's row.
    private static func rowObject(_ prefix: String, _ columns: [String]) -> String {
        Self.objectSQL(columns.enumerated().map { (SQLText.string($1), "\(prefix)c\($0)") })
    }

    /// Translates the value to which steps lead from an expression other than a path, such as META() or a call.
    mutating func property(_ base: Tree.Expression, _ steps: [PathStep], _ scope: NameScope) throws -> SQLPiece {
        guard case .meta(let names, let position) = base else {
            return SQLPiece(Located(base: try value(base, scope), steps: steps[...]).value)
        }
        guard case .name(let name)? = steps.first, let key = MetaKey(name) else {
            if case .name(let name)? = steps.first {
                throw QueryFailure(
                    "'\(name)' is not a valid Meta key",
                    hint: "META() has the members id, sequence, deleted, expiration, revisionID and rowid", at: position
                )
            }
            throw QueryFailure(
                "property cannot start with an array index",
                hint: "META() has members, such as META().id, but no elements",
                at: position)
        }
        guard steps.count == 1 else {
            throw QueryFailure(
                "invalid properties after a meta property", hint: "META().\(name) has no members or elements",
                at: position)
        }
        return metaPiece(try source(names, scope, at: position), key)
    }

    // MARK: - Sources

    func reference(_ path: Tree.Path, _ scope: NameScope) throws -> Meaning {
        var place: NameScope? = scope
        let steps = path.steps[...]
        while let scope = place {
            if let variable = scope.variables.last(where: { $0.name == path.root }) { return .sql(variable.sql, steps) }
            for definition in scope.definitions where CaselessNames.areSame(definition.name, path.root) {
                return .definition(definition.used(by: path, in: scope), steps)
            }
            if !scope.sources.isEmpty,
                let (source, consumed) = Self.source(path.root, path.secondName, among: scope.sources)
            {
                assert(consumed >= 1 && consumed - 1 <= steps.count, "the names of the source are those of the path")
                return .source(source, steps.dropFirst(consumed - 1))
            }
            place = scope.outer
        }
        guard let sources = Self.innermostSources(scope) else {
            throw QueryFailure(
                "'\(path.root)' is unknown: without a FROM clause, and in VALUES, LIMIT and OFFSET, there are no documents whose "
                    + "property it could be",
                at: path.position)
        }
        guard sources.count == 1, let only = sources.first else {
            throw QueryFailure(
                "property '\(path.root)' does not begin with a declared 'AS' alias",
                hint: "the sources are \(sources.compactMap(\.name).joined(separator: ", "))", at: path.position)
        }
        return .source(only, path.allSteps[...])
    }

    private static func innermostSources(_ scope: NameScope) -> [QuerySource]? {
        var place: NameScope? = scope
        while let scope = place {
            if !scope.sources.isEmpty { return scope.sources }
            place = scope.outer
        }
        return nil
    }

    /// Returns the source that one or two names refer to, and how many of the names were used.
    private static func source(_ first: String, _ second: String?, among sources: [QuerySource]) -> (QuerySource, Int)?
    {
        for source in sources where source.isNamed(first) { return (source, 1) }
        if let second,
            let found = sources.first(where: { source in
                guard let scope = source.scopeName, let short = source.shortName else { return false }
                return CaselessNames.areSame(scope, first) && CaselessNames.areSame(short, second)
            })
        {
            return (found, 2)
        }
        var found: QuerySource?
        for source in sources {
            guard let short = source.shortName, CaselessNames.areSame(short, first) else { continue }
            if found != nil { return nil }
            found = source
        }
        return found.map { ($0, 1) }
    }

    /// Returns the source that the names in `META(…)` or before a star refer to; without names, the first source of the
    /// FROM clause.
    func source(_ names: [String], _ scope: NameScope, at position: Tree.Position) throws -> QuerySource {
        if names.isEmpty {
            guard let source = Self.innermostSources(scope)?.first else {
                throw QueryFailure(
                    "META() and * refer to documents, and there are none without a FROM clause and in VALUES, LIMIT and OFFSET",
                    at: position)
            }
            return source
        }
        var place: NameScope? = scope
        while let scope = place {
            if let (source, consumed) = Self.source(names[0], names.dropFirst().first, among: scope.sources),
                consumed == names.count
            {
                return source
            }
            place = scope.outer
        }
        throw QueryFailure(
            "database alias '\(names.joined(separator: "."))' does not match a declared 'AS' alias", at: position)
    }

    /// Translates `*` or `a.*`: the whole value of a source.
    mutating func star(_ names: [String], _ scope: NameScope, at position: Tree.Position) throws -> SQLPiece {
        if names.isEmpty, let sources = Self.innermostSources(scope), sources.count > 1 {
            throw QueryFailure(
                "* needs an alias where there are several sources",
                hint: "write \(sources.compactMap(\.name).map { "\($0).*" }.joined(separator: ", "))", at: position)
        }
        if let path = starPath(names, scope) { return try self.path(path, scope) }
        let source = try source(names, scope, at: position)
        return SQLPiece(located(source, []).map(\.value) ?? "NULL")
    }

    /// Returns the path of `o.*` if `o` is a property, whose value the star then stands for; nil if the names refer to
    /// a source.
    private func starPath(_ names: [String], _ scope: NameScope) -> Tree.Path? {
        guard let first = names.first, (try? source(names, scope, at: .none)) == nil,
            Self.innermostSources(scope)?.count == 1
        else { return nil }
        return Tree.Path(first, names.dropFirst().map { .name($0) })
    }

    /// Returns the column name for `*` or `a.*`: that of its source, or the name of the property if `a` is one; nil if
    /// the source has no name.
    func starName(_ names: [String], _ scope: NameScope, at position: Tree.Position) throws -> String? {
        if let path = starPath(names, scope) { return names.last ?? path.root }
        return try source(names, scope, at: position).columnName
    }

    /// Returns the source of which a path is only the name; nil for any other path.
    func wholeSource(_ path: Tree.Path, _ scope: NameScope) throws -> QuerySource? {
        if case .source(let source, let steps) = try reference(path, scope), steps.isEmpty { return source }
        return nil
    }

    // MARK: - META

    private static func metaName(_ step: PathStep?) -> MetaKey? {
        guard case .name(let name)? = step else { return nil }
        return MetaKey(property: name)
    }

    private func metaPiece(_ source: QuerySource, _ key: MetaKey) -> SQLPiece {
        let prefix = source.prefix
        guard case .documents = source.kind else {
            if case .elements = source.kind, key == .id { return SQLPiece("\(prefix)key") }
            return .missing
        }
        switch key {
        case .id: return SQLPiece(source.column("\(prefix)id"), .text)
        case .sequence: return SQLPiece(source.column("\(prefix)sequence"), .number)
        case .rowid: return SQLPiece(source.column("\(prefix)number"), .number)
        case .expiration: return SQLPiece(source.column("\(prefix)expires"), .number)
        case .revisionID: return SQLPiece(source.column("query_revision(\(prefix)revision)"), .text)
        case .deleted:
            source.hasDeleted = !source.isLiveOnly
            return SQLPiece(source.column("(\(prefix)number < 0)"), .truth)
        }
    }

    /// Translates META() without a key after it, as an object of all keys but `rowid`.
    mutating func meta(_ names: [String], _ scope: NameScope, at position: Tree.Position) throws -> SQLPiece {
        let source = try source(names, scope, at: position)
        let keys: [MetaKey] = [.id, .sequence, .expiration, .revisionID]
        var members = keys.map { (SQLText.string($0.rawValue), metaPiece(source, $0).value) }
        // Deleted documents take part only if META().deleted is used by itself.
        members.append(("'deleted'", source.hasDeleted ? metaPiece(source, .deleted).value : "x'02'"))
        return SQLPiece(Self.objectSQL(members))
    }
}

extension Tree.Path {
    /// The second name of the path, `b` in `a.b`; nil if the first name is followed by an index, a slice or nothing.
    fileprivate var secondName: String? {
        if case .name(let name)? = steps.first { name } else { nil }
    }
}
