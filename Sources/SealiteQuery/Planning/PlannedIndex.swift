internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An index in the form that the planner needs: its keys and its condition as expressions over a document or an
/// element.
struct PlannedIndex: Sendable {
    /// One key of the index: an expression, and the name of the collation that its strings are compared by.
    struct Key: Equatable, Sendable {
        let expression: Tree.Expression
        let collation: String?

        init(_ expression: Tree.Expression) {
            let (inner, collation) = expression.withoutCollation
            self.init(inner.canonical, collation: collation)
        }

        init(_ expression: Tree.Expression, collation: String?) {
            self.expression = expression
            self.collation = collation
        }
    }

    let number: Int64
    let name: String
    /// The name of the index's SQL table of keys.
    let table: String
    /// The steps to the array whose elements are indexed, one list for each level of nested arrays; nil if documents
    /// are indexed.
    let levels: [[PathStep]]?
    let keys: [Key]
    let condition: Tree.Expression?
}

extension PlannedIndex {
    /// Creates the index from its row of the database's catalogue of indexes; nil if it wasn't defined in SQL++, or
    /// isn't ready for use.
    init?(_ record: IndexRecord) {
        switch record.kind {
        case .value, .array: break
        case .multikey, .text, nil: return nil
        }
        guard let (table, source) = record.usable, let made = try? IndexSource(stored: source),
            let expressions = try? made.expressions.map({ try Tree.Expression(parsing: $0) })
        else { return nil }
        if let text = made.path {
            guard let path = try? ArrayPath(parsing: text) else { return nil }
            let keys = expressions.compactMap { $0.ofElement.map { Key($0) } }
            guard keys.count == expressions.count else { return nil }
            self.init(
                number: record.number, name: record.name, table: table, levels: path.levels.map(\.allSteps),
                keys: keys.isEmpty ? [Key(.element)] : keys, condition: nil)
            return
        }
        var condition: Tree.Expression?
        if let text = made.condition {
            guard let parsed = try? Tree.Expression(parsing: text) else { return nil }
            condition = parsed.canonical
        }
        self.init(
            number: record.number, name: record.name, table: table, levels: nil, keys: expressions.map { Key($0) },
            condition: condition)
    }
}
