/// A query: one SELECT, or several that set operations combine, with the order and the limits of the result.
package struct QueryTree: Sendable, Equatable {
    /// The common tables of the WITH clause.
    package var commonTables: [CommonTable] = []
    /// A Boolean value that says whether RECURSIVE is written, so that common tables may refer to themselves.
    package var isRecursive = false
    /// The first operand of the set operations, or the only SELECT.
    package var first: QueryOperand
    /// The set operations that follow the first operand, applied from left to right.
    package var combinations: [Combination] = []
    package var order: [OrderTerm]
    package var limit: ExpressionTree?
    package var offset: ExpressionTree?

    package init(
        _ first: QueryOperand, order: [OrderTerm] = [], limit: ExpressionTree? = nil, offset: ExpressionTree? = nil
    ) {
        self.first = first
        self.order = order
        self.limit = limit
        self.offset = offset
    }

    /// Creates a query of one SELECT.
    package init(_ select: SelectTree) { self.init(.select(select)) }
}

/// An operand of a set operation such as UNION, or the only SELECT of a query.
package indirect enum QueryOperand: Sendable, Equatable {
    case select(SelectTree)
    /// A query in parentheses.
    case query(QueryTree)
}

/// A set operation, such as UNION, and its right operand.
package struct Combination: Sendable, Equatable {
    /// The set operations that can combine queries.
    package enum Operator: String, Sendable, CaseIterable {
        case union = "UNION"
        case intersect = "INTERSECT"
        case except = "EXCEPT"
    }

    package var op: Operator
    /// A Boolean value that says whether ALL is written, so that duplicate rows are kept.
    package var isAll = false
    package var operand: QueryOperand
    /// The position of the operator in the query's text.
    package var position = SourcePosition.none
}

/// A named query `name AS (SELECT …)` of a WITH clause.
package struct CommonTable: Sendable, Equatable {
    package var name: String
    package var query: QueryTree
    /// The position of the name in the query's text.
    package var position = SourcePosition.none
}

/// One SELECT of a query: `SELECT … FROM … LET … WHERE … GROUP BY … HAVING …`.
package struct SelectTree: Sendable, Equatable {
    package var isDistinct: Bool
    package var projection: Projection
    /// The FROM clause; nil if there is none, and the SELECT has one row.
    package var from: FromClause?
    package var bindings: [Binding] = []
    package var condition: ExpressionTree?
    package var groups: [ExpressionTree]
    /// The position in the query's text of the first expression of GROUP BY.
    package var groupPosition = SourcePosition.none
    /// The condition for groups (HAVING); nil if there is none, and always without groups.
    package var groupCondition: ExpressionTree?

    package init(
        _ projection: Projection, from: FromClause? = nil, isDistinct: Bool = false,
        where condition: ExpressionTree? = nil, groupBy groups: [ExpressionTree] = [],
        having groupCondition: ExpressionTree? = nil
    ) {
        self.projection = projection
        self.from = from
        self.isDistinct = isDistinct
        self.condition = condition
        self.groups = groups
        self.groupCondition = groupCondition
    }
}

/// The results of a SELECT or of RETURNING.
package enum Projection: Sendable, Equatable {
    /// Rows with one column for each item.
    case columns([ResultColumn])
    /// `SELECT VALUE a`: each row is the value of one expression.
    case value(ResultColumn)
}

/// An expression in the results of a SELECT or of RETURNING, and its alias.
package struct ResultColumn: Sendable, Equatable {
    package var expression: ExpressionTree
    package var alias: String?
    /// The position of the expression in the query's text.
    package var position: SourcePosition

    package init(_ expression: ExpressionTree, as alias: String? = nil, at position: SourcePosition = .none) {
        self.expression = expression
        self.alias = alias
        self.position = position
    }
}

/// A definition `name = value` of a LET clause.
package struct Binding: Sendable, Equatable {
    package var name: String
    package var value: ExpressionTree
    /// The position of the name in the query's text.
    package var position = SourcePosition.none
}

/// A term of ORDER BY: an expression and its direction.
package struct OrderTerm: Sendable, Equatable {
    /// The direction of a term, as it is written.
    package enum Direction: String, Sendable, CaseIterable {
        case ascending = "ASC"
        case descending = "DESC"
    }

    /// The position of NULL and MISSING in the sorted result.
    package enum Nulls: String, Sendable, CaseIterable {
        case first = "NULLS FIRST"
        case last = "NULLS LAST"
    }

    package var expression: ExpressionTree
    /// The direction of the term as it is written; nil, if none is written, stands for ascending.
    package var direction: Direction?
    /// The position of NULL and MISSING in the sorted result; nil if it follows from the order of values.
    package var nulls: Nulls?
    /// The position of the expression in the query's text.
    package var position: SourcePosition

    package init(
        _ expression: ExpressionTree, _ direction: Direction? = nil, nulls: Nulls? = nil,
        at position: SourcePosition = .none
    ) {
        self.expression = expression
        self.direction = direction
        self.nulls = nulls
        self.position = position
    }
}

/// The FROM clause of a SELECT: the first source and the joins, in order.
package struct FromClause: Sendable, Equatable {
    package var source: Source
    package var joins: [JoinClause]

    package init(_ source: Source, _ joins: [JoinClause] = []) {
        self.source = source
        self.joins = joins
    }
}

/// A source of rows in a FROM clause.
package indirect enum Source: Sendable, Equatable {
    /// A collection or a common table, and its alias.
    case collection(CollectionName, alias: String?)
    /// A subquery and its alias.
    case subquery(QueryTree, alias: String)

    /// The position of the collection's name in the query's text; none for a subquery.
    package var position: SourcePosition { if case .collection(let name, _) = self { name.position } else { .none } }
}

/// A source that a FROM clause joins to the preceding ones.
package enum JoinClause: Sendable, Equatable {
    /// The kinds of joins that have a condition.
    package enum Kind: String, Sendable, CaseIterable {
        case inner = "INNER JOIN"
        case left = "LEFT JOIN"
        case right = "RIGHT JOIN"
    }

    /// A join with a condition.
    case join(Kind, Source, on: ExpressionTree)
    /// A join of all rows with all rows of a source: `CROSS JOIN`.
    case cross(Source)
    /// `UNNEST path AS alias`: one row for each element of the array at the path. With LEFT, `isLeft` is true: also one
    /// row, in which the alias is MISSING, if there are no elements.
    case unnest(Path, alias: String?, isLeft: Bool = false)
}

/// The name of a collection as it is written in a query: `coll`, `scope.coll`, or one quoted name with a dot inside.
package struct CollectionName: Sendable, Equatable {
    package var scope: String?
    package var name: String
    /// The position of the first name in the query's text.
    package var position: SourcePosition

    package init(scope: String? = nil, _ name: String, at position: SourcePosition = .none) {
        self.scope = scope
        self.name = name
        self.position = position
    }
}
