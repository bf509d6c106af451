internal import SealiteQueryLanguage
internal import SealiteDatabase

/// The parts of a query that were passed to the builder.
struct BuiltQuery: Sendable {
    var columns: [BuiltResult]
    var isDistinct: Bool
    var source: DataSource.Built?
    var joins: [BuiltJoin] = []
    var condition: Tree.Expression?
    var groups: [Tree.Expression] = []
    var groupCondition: Tree.Expression?
    var order: [Tree.OrderTerm] = []
    var limit: Tree.Expression?
    var offset: Tree.Expression?

    /// Returns the syntax tree of the query, and its database.
    ///
    /// - Throws: `invalidQuery` if the query has no data source, or if the query builder didn't make a join.
    func text() throws -> QuerySourceText {
        guard let source else {
            throw DatabaseError(
                .invalidQuery,
                "the query has no data source: from(_:) wasn't called, or its argument isn't from DataSource.collection(_:)",
                hint: "call from(DataSource.collection(…)) after select(…)")
        }
        let results = columns.isEmpty ? [BuiltResult(expression: .star([], .none), alias: nil)] : columns
        let select = Tree.Select(
            .columns(results.map { Tree.ResultColumn($0.expression, as: $0.alias) }),
            from: Tree.From(source.tree, try joins.map { try $0.tree() }), isDistinct: isDistinct, where: condition,
            groupBy: groups, having: groupCondition)
        let query = Tree.Query(.select(select), order: order, limit: limit, offset: offset)
        return QuerySourceText(database: source.collection.database, tree: .query(query), text: nil)
    }
}
