internal import SealiteQueryLanguage

extension Translator {
    /// The SQL names of those functions of SQL++ whose SQL name isn't `query_` and their name in lower case.
    private static let names = [
        "REGEXP_LIKE": "query_regexp_contains", "TYPENAME": "query_type", "ARRAY_OF": "query_array",
        "IFMISSING": "coalesce", "IS_ARRAY": "query_isarray", "IS_ATOM": "query_isatom",
        "IS_BOOLEAN": "query_isboolean", "IS_NUMBER": "query_isnumber", "IS_OBJECT": "query_isobject",
        "IS_STRING": "query_isstring", "TO_ARRAY": "query_toarray", "TO_ATOM": "query_toatom",
        "TO_BOOLEAN": "query_toboolean", "TO_NUMBER": "query_tonumber", "TO_OBJECT": "query_toobject",
        "TO_STRING": "query_tostring", "NOW_STR": "query_millis_to_str", "NVL": "query_ifmissingornull",
        "COALESCE": "query_ifmissingornull",
    ]

    /// The functions of SQL++ whose result is always true, false, NULL or MISSING.
    private static let predicates: Set = [
        "CONTAINS", "REGEXP_CONTAINS", "REGEXP_LIKE", "ARRAY_CONTAINS", "ISARRAY", "ISATOM", "ISBOOLEAN", "ISNUMBER",
        "ISOBJECT", "ISSTRING", "IS_ARRAY", "IS_ATOM", "IS_BOOLEAN", "IS_NUMBER", "IS_OBJECT", "IS_STRING", "TOBOOLEAN",
        "TO_BOOLEAN", "GEO_WITHIN",
    ]

    /// The functions of SQL++ that compare strings under the collation of the expression.
    private static let collated: Set = ["CONTAINS"]

    mutating func call(_ call: FunctionCall, _ scope: NameScope) throws -> SQLPiece {
        switch FunctionSignature.named(call.name)?.kind {
        case .aggregate: return try aggregate(call, scope)
        case .window: return try window(call, scope)
        default: break
        }
        if call.name == Self.approximate { return try approximateDistance(call, scope) }
        if Self.ofFullText.contains(call.name) { return try fullText(call, scope) }
        if call.name == "NOW_MILLIS" { return SQLPiece(presentTime(), .number) }
        var arguments = call.name == "NOW_STR" ? [presentTime()] : []
        for argument in call.arguments { arguments.append(try value(argument, scope)) }
        if Self.collated.contains(call.name), let collation { arguments.append(SQLText.string(collation)) }
        let name = Self.names[call.name] ?? "query_\(call.name.lowercased())"
        return SQLPiece(
            "\(name)(\(arguments.joined(separator: ", ")))", Self.predicates.contains(call.name) ? .boolean : .value)
    }

    /// Returns the SQL of the present time: one value for each execution of the statement.
    private mutating func presentTime() -> String {
        live?.dependsOnOtherDocuments = true
        return parameter(.time)
    }

    /// Translates a call of the SQL function with a name, with expressions of SQL++ as arguments.
    mutating func call(_ name: String, _ arguments: [Tree.Expression], _ scope: NameScope) throws -> SQLPiece {
        var values: [String] = []
        for argument in arguments { values.append(try value(argument, scope)) }
        return SQLPiece("\(name)(\(values.joined(separator: ", ")))")
    }

    // MARK: - Aggregates and windows

    private mutating func aggregate(_ call: FunctionCall, _ scope: NameScope) throws -> SQLPiece {
        let kind = call.window == nil ? NameScope.Calls.aggregates : .windows
        guard scope.allowedCalls >= kind else { throw Self.misplaced(call, kind, scope) }
        live?.hasAggregates = true
        scope.hasAggregates = true
        let inner = scope.allowing(.scalar)
        if let rows = countedRows(call, scope) { return SQLPiece("sum(\(rows))", .number) }
        hasOtherAggregates = true
        let name = call.name == "COUNT" ? "count" : "query_\(call.name.lowercased())"
        var sql: String
        if let argument = call.arguments.first, !argument.isStar {
            let value = try apart { try $0.value(argument, inner) }
            var counted = call.isDistinct ? "query_group(\(value))" : value
            // COUNT counts neither MISSING nor NULL.
            if call.name == "COUNT" { counted = "nullif(\(counted), x'00')" }
            sql = "\(name)(\(call.isDistinct ? "DISTINCT " : "")\(counted))"
        } else {
            sql = "count(*)"
        }
        if let filter = call.filter { sql += " FILTER (WHERE \(try apart { try $0.condition(filter, inner) }))" }
        if let window = call.window { sql += try over(window, inner) }
        return SQLPiece(sql, call.name == "COUNT" ? .number : .value)
    }

    private mutating func window(_ call: FunctionCall, _ scope: NameScope) throws -> SQLPiece {
        guard let window = call.window else {
            throw QueryFailure("the window function \(call.name)() needs OVER (…) after it", at: call.position)
        }
        guard scope.allowedCalls >= .windows else { throw Self.misplaced(call, .windows, scope) }
        scope.hasAggregates = true
        let inner = scope.allowing(.aggregates)
        let piece = try self.call(call.name.lowercased(), call.arguments, inner)
        return SQLPiece(piece.sql + (try over(window, inner)))
    }

    /// Returns the error for an aggregate or a window function at a position where it isn't allowed, or behind an alias
    /// that is used at such a position.
    private static func misplaced(_ call: FunctionCall, _ kind: NameScope.Calls, _ scope: NameScope) -> QueryFailure {
        let isWindow = kind == .windows
        let function = "the \(isWindow ? "window function" : "aggregate") \(call.name)()"
        let hint =
            isWindow
            ? "window functions are allowed in the results and ORDER BY of a SELECT, but not inside of aggregates, "
                + "other window functions, ANY, EVERY and ARRAY"
            : "aggregates are allowed in the results, HAVING and ORDER BY of a SELECT, but not inside of other "
                + "aggregates, ANY, EVERY and ARRAY"
        guard let alias = scope.alias else {
            return QueryFailure("\(function) isn't allowed here", hint: hint, at: call.position)
        }
        return QueryFailure(
            "'\(alias.root)' stands for \(function), which isn't allowed here", hint: hint, at: alias.position)
    }

    private mutating func over(_ window: Window, _ scope: NameScope) throws -> String {
        var parts: [String] = []
        if !window.partitions.isEmpty {
            var keys: [String] = []
            for partition in window.partitions { keys.append("query_group(\(try value(partition, scope)))") }
            parts.append("PARTITION BY \(keys.joined(separator: ", "))")
        }
        if !window.order.isEmpty { parts.append("ORDER BY \(try order(window.order, scope, columns: []))") }
        if let frame = window.frame {
            let start = try bound(frame.start, scope)
            let bounds = try frame.end.map { "BETWEEN \(start) AND \(try bound($0, scope))" } ?? start
            parts.append("\(frame.unit.rawValue) \(bounds)")
        }
        return " OVER (\(parts.joined(separator: " ")))"
    }

    private mutating func bound(_ bound: WindowFrame.Bound, _ scope: NameScope) throws -> String {
        switch bound {
        case .unboundedPreceding: "UNBOUNDED PRECEDING"
        case .preceding(let count): "\(try value(count, scope)) PRECEDING"
        case .currentRow: "CURRENT ROW"
        case .following(let count): "\(try value(count, scope)) FOLLOWING"
        case .unboundedFollowing: "UNBOUNDED FOLLOWING"
        }
    }

    // MARK: - Objects, CASE, and expressions over elements

    mutating func object(_ members: [LiteralMember], _ scope: NameScope) throws -> SQLPiece {
        var pairs: [(String, String)] = []
        for member in members { pairs.append((SQLText.string(member.name), try value(member.value, scope))) }
        return SQLPiece(Self.objectSQL(pairs))
    }

    /// Returns the SQL for an object, whose members' names and values are given as SQL.
    static func objectSQL(_ members: [(name: String, value: String)]) -> String {
        var sql: String?
        var rest = members[...]
        repeat {
            let part = rest.prefix(SQLText.argumentLimit / 2).map { "\($0.name), \($0.value)" }.joined(separator: ", ")
            rest = rest.dropFirst(SQLText.argumentLimit / 2)
            let object = "query_object(\(part))"
            sql = sql.map { "query_object_merge(\($0), \(object))" } ?? object
        } while !rest.isEmpty
        return sql ?? "query_object()"
    }

    mutating func conditional(_ conditional: Conditional, _ scope: NameScope) throws -> SQLPiece {
        assert(!conditional.branches.isEmpty, "CASE has a branch")
        var sql = "CASE"
        // The literal NULL as an operand counts as no operand.
        let operand = conditional.operand == .literal(.null) ? nil : conditional.operand
        for branch in conditional.branches {
            let condition =
                operand.map { Tree.Expression.operation($0, .equal, branch.condition) } ?? branch.condition
            sql += " WHEN \(try self.condition(condition, scope)) THEN \(try value(branch.result, scope))"
        }
        return SQLPiece("\(sql) ELSE \(try conditional.otherwise.map { try value($0, scope) } ?? "x'00'") END")
    }

    /// Translates `ANY v IN e SATISFIES v = c END` as a search of `e` for an element that equals `c`; returns nil for
    /// any other condition.
    private mutating func search(_ quantified: Quantified, _ scope: NameScope) throws -> SQLPiece? {
        guard collation == nil, let sought = quantified.sought else { return nil }
        let membership = Membership(sought, .elements(quantified.collection))
        return SQLPiece("ifnull(\(try candidates(membership, scope).sql) = x'01', 0)", .truth)
    }

    mutating func quantified(_ quantified: Quantified, _ scope: NameScope) throws -> SQLPiece {
        if let search = try search(quantified, scope) { return search }
        let container = try value(quantified.collection, scope)
        let alias = nextAlias()
        let inner = scope.binding(quantified.variable, to: "\(alias).value")
        let rows = "SELECT 1 FROM query_each(\(container)) AS \(alias)"
        switch quantified.quantifier {
        case .any:
            let condition = try apart { try $0.condition(quantified.condition, inner) }
            return SQLPiece("EXISTS (\(rows) WHERE \(condition))", .truth)
        case .every, .anyAndEvery:
            let condition = try apart { try $0.piece(quantified.condition, inner) }
            let every = "NOT EXISTS (\(rows) WHERE \(condition.negated))"
            guard quantified.quantifier == .anyAndEvery else { return SQLPiece("(\(every))", .truth) }
            let some = "EXISTS (\(rows) WHERE \(alias).value <> x'00')"
            return SQLPiece("(CASE WHEN \(container) IS NOT NULL THEN \(some) AND \(every) END)", .truth)
        }
    }

    mutating func comprehension(_ comprehension: Comprehension, _ scope: NameScope) throws -> SQLPiece {
        let container = try value(comprehension.collection, scope)
        let alias = nextAlias()
        let inner = scope.binding(comprehension.variable, to: "\(alias).value")
        let element = try apart { try $0.value(comprehension.element, inner) }
        let filter =
            try comprehension.condition.map { condition in
                " WHERE \(try apart { try $0.condition(condition, inner) })"
            } ?? ""
        let rows = "FROM query_each(\(container)) AS \(alias)\(filter)"
        switch comprehension.kind {
        case .array:
            return SQLPiece("CASE WHEN \(container) IS NOT NULL THEN (SELECT query_array_agg(\(element)) \(rows)) END")
        case .first: return SQLPiece("(SELECT \(element) \(rows) LIMIT 1)")
        }
    }
}

extension Quantified {
    /// The value that `ANY v IN e SATISFIES v = value END` searches for among the items of an array or the values of an
    /// object; nil for any other condition.
    var sought: Tree.Expression? {
        guard quantifier == .any, case .operation(let operation) = condition, operation.links.count == 1,
            let link = operation.links.first, link.op == .equal
        else { return nil }
        let variable = Tree.Expression.path(Tree.Path(variable))
        let sought: Tree.Expression
        switch variable {
        case operation.first: sought = link.operand
        case link.operand: sought = operation.first
        default: return nil
        }
        return sought.mentions(self.variable) ? nil : sought
    }
}

extension Tree.Expression {
    /// Returns whether the expression refers to a variable, or can't be traversed to find out.
    func mentions(_ variable: String) -> Bool {
        has { part in
            guard case .path(let path) = part else { return nil }
            return path.root == variable
        } ?? true
    }

    /// A Boolean value that says whether the expression is `*` or `a.*`.
    var isStar: Bool { if case .star = self { true } else { false } }
}
