extension Printer {
    mutating func subquery(_ query: Query) {
        write("(")
        self.query(query)
        write(")")
    }

    mutating func query(_ query: Query) {
        if !query.commonTables.isEmpty {
            write(query.isRecursive ? "WITH RECURSIVE " : "WITH ")
            list(query.commonTables) { printer, table in
                printer.name(table.name)
                printer.write(" AS ")
                printer.subquery(table.query)
            }
            write(" ")
        }
        operand(query.first)
        for combination in query.combinations {
            write(" \(combination.op.rawValue) " + (combination.isAll ? "ALL " : ""))
            operand(combination.operand)
        }
        if !query.order.isEmpty {
            write(" ")
            order(query.order)
        }
        clause("LIMIT", query.limit)
        clause("OFFSET", query.offset)
    }

    private mutating func operand(_ operand: QueryOperand) {
        switch operand {
        case .select(let select): self.select(select)
        case .query(let query): subquery(query)
        }
    }

    private mutating func select(_ select: Select) {
        write(select.isDistinct ? "SELECT DISTINCT " : "SELECT ")
        projection(select.projection)
        if let from = select.from { self.from(from) }
        if !select.bindings.isEmpty {
            write(" LET ")
            list(select.bindings) { printer, binding in
                printer.name(binding.name)
                printer.write(" = ")
                printer.expression(binding.value)
            }
        }
        clause("WHERE", select.condition)
        if !select.groups.isEmpty {
            write(" GROUP BY ")
            expressions(select.groups)
        }
        clause("HAVING", select.groupCondition)
    }

    mutating func projection(_ projection: Projection) {
        switch projection {
        case .columns(let columns): list(columns) { $0.column($1) }
        case .value(let column):
            write("VALUE ")
            delimited(column.expression)
            alias(column.alias)
        }
    }

    private mutating func column(_ column: ResultColumn) {
        starOrExpression(column.expression)
        alias(column.alias)
    }

    // MARK: Sources

    private mutating func from(_ from: From) {
        write(" FROM ")
        source(from.source)
        for join in from.joins {
            switch join {
            case .join(let kind, let source, let condition):
                write(" \(kind.rawValue) ")
                self.source(source)
                clause("ON", condition)
            case .cross(let source):
                write(" CROSS JOIN ")
                self.source(source)
            case .unnest(let path, let alias, let isLeft):
                write(isLeft ? " LEFT UNNEST " : " UNNEST ")
                self.path(path)
                self.alias(alias)
            }
        }
    }

    private mutating func source(_ source: Source) {
        switch source {
        case .collection(let name, let alias):
            collection(name)
            self.alias(alias)
        case .subquery(let query, let alias):
            subquery(query)
            self.alias(alias)
        }
    }

    private mutating func collection(_ name: CollectionName) {
        names((name.scope.map { [$0] } ?? []) + [name.name])
    }

    // MARK: Changes

    mutating func statement(_ statement: Statement) {
        switch statement {
        case .query(let query): self.query(query)
        case .update(let update): self.update(update)
        case .delete(let delete): self.delete(delete)
        case .insert(let insert): self.insert(insert)
        }
    }

    private mutating func target(_ target: ChangeTarget) {
        collection(target.collection)
        alias(target.alias)
    }

    private mutating func returning(_ projection: Projection?) {
        guard let projection else { return }
        write(" RETURNING ")
        self.projection(projection)
    }

    private mutating func update(_ update: Update) {
        write("UPDATE ")
        target(update.target)
        if !update.assignments.isEmpty { write(" SET ") }
        list(update.assignments) { printer, assignment in
            printer.path(assignment.path)
            printer.write(" = ")
            printer.expression(assignment.value)
        }
        if !update.removals.isEmpty { write(" UNSET ") }
        list(update.removals) { $0.path($1) }
        clause("WHERE", update.condition)
        clause("LIMIT", update.limit)
        returning(update.returning)
    }

    private mutating func delete(_ delete: Delete) {
        write("DELETE FROM ")
        target(delete.target)
        clause("WHERE", delete.condition)
        clause("LIMIT", delete.limit)
        returning(delete.returning)
    }

    private mutating func insert(_ insert: Insert) {
        write("INSERT INTO ")
        target(insert.target)
        switch insert.content {
        case .documents(let documents):
            let hasKey = documents.first?.key != nil
            write(hasKey ? " (KEY, VALUE) VALUES " : " (VALUE) VALUES ")
            list(documents) { printer, document in
                printer.write("(")
                printer.expressions((document.key.map { [$0] } ?? []) + [document.value])
                printer.write(")")
            }
        case .rows(let document, let query):
            write(" (")
            if let key = document.key {
                write("KEY ")
                expression(key)
                write(", ")
            }
            write("VALUE ")
            expression(document.value)
            write(") ")
            self.query(query)
        }
        returning(insert.returning)
    }
}
