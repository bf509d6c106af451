extension Printer {
    static func subquery(_ query: QueryTree) -> String { "(\(self.query(query)))" }

    static func query(_ query: QueryTree) -> String {
        let tables = list(query.commonTables) { "\(name($0.name)) AS \(subquery($0.query))" }
        let with = tables.isEmpty ? "" : "WITH \(query.isRecursive ? "RECURSIVE " : "")\(tables) "
        let combinations = query.combinations.map { combination in
            " \(combination.op.rawValue) \(combination.isAll ? "ALL " : "")\(operand(combination.operand))"
        }
        let order = query.order.isEmpty ? "" : " " + order(query.order)
        return with + operand(query.first) + combinations.joined() + order
            + clause("LIMIT", query.limit) + clause("OFFSET", query.offset)
    }

    private static func operand(_ operand: QueryOperand) -> String {
        switch operand {
        case .select(let select): self.select(select)
        case .query(let query): subquery(query)
        }
    }

    private static func select(_ select: SelectTree) -> String {
        let from = select.from.map { self.from($0) } ?? ""
        let bindings = list(select.bindings) { "\(name($0.name)) = \(expression($0.value))" }
        let definitions = bindings.isEmpty ? "" : " LET " + bindings
        let groups = select.groups.isEmpty ? "" : " GROUP BY " + expressions(select.groups)
        return "SELECT \(select.isDistinct ? "DISTINCT " : "")\(projection(select.projection))" + from + definitions
            + clause("WHERE", select.condition) + groups + clause("HAVING", select.groupCondition)
    }

    private static func projection(_ projection: Projection) -> String {
        switch projection {
        case .columns(let columns): list(columns) { starOrExpression($0.expression) + alias($0.alias) }
        case .value(let column): "VALUE \(delimited(column.expression))\(alias(column.alias))"
        }
    }

    // MARK: Sources

    private static func from(_ from: FromClause) -> String {
        " FROM \(source(from.source))" + from.joins.map { join($0) }.joined()
    }

    private static func join(_ join: JoinClause) -> String {
        switch join {
        case .join(let kind, let source, let condition):
            " \(kind.rawValue) \(self.source(source))\(clause("ON", condition))"
        case .cross(let source): " CROSS JOIN \(self.source(source))"
        case .unnest(let path, let alias, let isLeft):
            "\(isLeft ? " LEFT" : "") UNNEST \(self.path(path))\(self.alias(alias))"
        }
    }

    private static func source(_ source: Source) -> String {
        switch source {
        case .collection(let name, let alias): collection(name) + self.alias(alias)
        case .subquery(let query, let alias): subquery(query) + self.alias(alias)
        }
    }

    private static func collection(_ name: CollectionName) -> String {
        names((name.scope.map { [$0] } ?? []) + [name.name])
    }

    // MARK: Changes

    static func statement(_ statement: Statement) -> String {
        switch statement {
        case .query(let query): self.query(query)
        case .update(let update): self.update(update)
        case .delete(let delete): self.delete(delete)
        case .insert(let insert): self.insert(insert)
        }
    }

    private static func target(_ target: ChangeTarget) -> String { collection(target.collection) + alias(target.alias) }

    private static func returning(_ projection: Projection?) -> String {
        projection.map { " RETURNING " + self.projection($0) } ?? ""
    }

    private static func update(_ update: UpdateTree) -> String {
        let assignments = list(update.assignments) { "\(path($0.path)) = \(expression($0.value))" }
        let set = assignments.isEmpty ? "" : " SET " + assignments
        let unset = update.removals.isEmpty ? "" : " UNSET " + list(update.removals) { path($0) }
        return "UPDATE \(target(update.target))" + set + unset + clause("WHERE", update.condition)
            + clause("LIMIT", update.limit) + returning(update.returning)
    }

    private static func delete(_ delete: Delete) -> String {
        "DELETE FROM \(target(delete.target))" + clause("WHERE", delete.condition) + clause("LIMIT", delete.limit)
            + returning(delete.returning)
    }

    private static func insert(_ insert: Insert) -> String {
        "INSERT INTO \(target(insert.target))\(content(insert.content))\(returning(insert.returning))"
    }

    private static func content(_ content: Insert.Content) -> String {
        switch content {
        case .documents(let documents):
            let rows = list(documents) { "(\(expressions(($0.key.map { [$0] } ?? []) + [$0.value])))" }
            return "\(documents.first?.key == nil ? " (VALUE)" : " (KEY, VALUE)") VALUES \(rows)"
        case .rows(let document, let query):
            let key = document.key.map { "KEY \(expression($0)), " } ?? ""
            return " (\(key)VALUE \(expression(document.value))) \(self.query(query))"
        }
    }
}
