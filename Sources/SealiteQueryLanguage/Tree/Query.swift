/// A query: one SELECT or several combined ones, with the order and the limits of the result.
package struct Query: Sendable, Equatable {
    /// The common tables of the WITH clause.
    package var commonTables: [CommonTable]
    /// A Boolean value that says whether common tables may refer to themselves.
    package var isRecursive: Bool
    /// The first or only operand.
    package var first: QueryOperand
    /// The set operations that follow, applied from left to right.
    package var combinations: [Combination]
    package var order: [OrderTerm]
    package var limit: Expression?
    package var offset: Expression?

    package init(
        _ first: QueryOperand, _ combinations: [Combination] = [], with commonTables: [CommonTable] = [],
        isRecursive: Bool = false, order: [OrderTerm] = [], limit: Expression? = nil, offset: Expression? = nil
    ) {
        self.first = first
        self.combinations = combinations
        self.commonTables = commonTables
        self.isRecursive = isRecursive
        self.order = order
        self.limit = limit
        self.offset = offset
    }

    /// A query of one SELECT.
    package init(_ select: Select) { self.init(.select(select)) }
}

/// An operand of a set operation.
package indirect enum QueryOperand: Sendable, Equatable {
    case select(Select)
    /// A query in parentheses.
    case query(Query)
}

/// A set operation and its right operand.
package struct Combination: Sendable, Equatable {
    /// The set operations.
    package enum Operator: String, Sendable, CaseIterable {
        case union = "UNION"
        case intersect = "INTERSECT"
        case except = "EXCEPT"
    }

    package var op: Operator
    /// A Boolean value that says whether duplicate rows are kept.
    package var isAll: Bool
    package var operand: QueryOperand

    package init(_ op: Operator, isAll: Bool = false, _ operand: QueryOperand) {
        self.op = op
        self.isAll = isAll
        self.operand = operand
    }
}

/// `name AS (SELECT …)` of a WITH clause.
package struct CommonTable: Sendable, Equatable {
    package var name: String
    package var query: Query

    package init(_ name: String, _ query: Query) {
        self.name = name
        self.query = query
    }
}

/// An expression of ORDER BY.
package struct OrderTerm: Sendable, Equatable {
    /// The direction as written.
    package enum Direction: String, Sendable, CaseIterable {
        case ascending = "ASC"
        case descending = "DESC"
    }

    /// The place of NULL and MISSING.
    package enum Nulls: String, Sendable, CaseIterable {
        case first = "NULLS FIRST"
        case last = "NULLS LAST"
    }

    package var expression: Expression
    /// The direction; nil stands for ascending.
    package var direction: Direction?
    /// The place of NULL and MISSING; nil leaves them in the order of values.
    package var nulls: Nulls?

    package init(_ expression: Expression, _ direction: Direction? = nil, nulls: Nulls? = nil) {
        self.expression = expression
        self.direction = direction
        self.nulls = nulls
    }
}
