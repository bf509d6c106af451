internal import SealiteDatabase
internal import SealiteQuery
internal import SealiteQueryLanguage

/// The parts of a query over objects, and the SQL++ query that is built from them.
struct ObjectStatement: Sendable {
    /// The conditions, whose conjunction is the query's condition.
    var conditions: [Tree.Expression] = []
    /// The values of the conditions' parameters.
    var parameters: [String: Value] = [:]
    var order: [Tree.OrderTerm] = []
    /// The expressions of `distinct`: only one object is returned for each combination of their values. Empty if all
    /// objects are returned.
    var distinct: [Tree.Expression] = []
    var window: (limit: Int, offset: Int)?
    /// The distance from the vector that is searched for, by which the objects are sorted first; nil without a search.
    var distance: Tree.Expression?
    /// The first error of a call that can't throw.
    var failure: (any Error)?

    // No property can have such a name.
    private static var alias: String { "$object" }
    private static var found: String { "$found" }
    private static var place: String { "$place" }
    private static func sorting(_ index: Int) -> String { "$order\(index)" }

    private static var id: Tree.Expression { .property(.meta([alias], .none), [.name("id")]) }

    // MARK: - Queries

    /// Returns the SQL++ query for the IDs and the bodies of the objects.
    func whole(in collection: Collection) -> Tree.Query {
        let columns = [Self.id, .path(Tree.Path(Self.alias))]
        guard distinct.isEmpty else {
            let order = order.enumerated().map {
                Tree.OrderTerm(Self.found(Self.sorting($0)), $1.direction, nulls: $1.nulls)
            }
            let select = firsts(["$id", "$body"].map { Self.found($0) }, of: columns, in: collection)
            return limited(Tree.Query(.select(select), order: order))
        }
        return limited(Tree.Query(.select(select(columns.map { Tree.ResultColumn($0) }, collection)), order: order))
    }

    /// Checks that the parts can be in one query.
    ///
    /// - Throws: the first error of a call that couldn't throw, and `invalidQuery`.
    func check() throws {
        if let failure { throw failure }
        guard let distance else { return }
        if !distinct.isEmpty || order.first?.expression != distance {
            throw DatabaseError(
                .invalidQuery, "the objects nearest to a vector can't be distinct or in sections",
                hint: "read them with all(), and divide the array")
        }
    }

    /// Returns the SQL++ query for the number of objects, ignoring the limits unless they are those of a search by a vector.
    func count(in collection: Collection) -> Tree.Query {
        let count = Tree.Expression.call(FunctionCall("COUNT", [.star([], .none)]))
        guard distance == nil else {
            return Tree.Query(
                Tree.Select(
                    .columns([Tree.ResultColumn(count)]),
                    from: Tree.From(.subquery(whole(in: collection), alias: Self.found))))
        }
        guard distinct.isEmpty else { return Tree.Query(firsts([count], of: [], in: collection)) }
        return Tree.Query(select([Tree.ResultColumn(count)], collection))
    }

    /// Returns the number of objects within the limits, from the number that ignores them.
    func counted(_ found: Int) -> Int {
        guard let window, distance == nil else { return found }
        return min(max(found - window.offset, 0), window.limit)
    }

    // MARK: - Parts

    private func limited(_ query: Tree.Query) -> Tree.Query {
        var query = query
        if let window {
            query.limit = .literal(.integer(Int64(window.limit)))
            query.offset = .literal(.integer(Int64(window.offset)))
        }
        return query
    }

    private func select(_ columns: [Tree.ResultColumn], _ collection: Collection) -> Tree.Select {
        let name = CollectionName(scope: collection.scopeName, collection.name)
        // The conditions are flattened to one conjunction, which is the form that a single text with all conditions
        // would have.
        let terms = conditions.flatMap { if case .and(let terms) = $0 { terms } else { [$0] } }
        return Tree.Select(
            .columns(columns), from: Tree.From(.collection(name, alias: Self.alias)),
            where: terms.count > 1 ? .and(terms) : terms.first)
    }

    /// Returns the `SELECT` of `results` over the first object for each combination of the values of ``distinct``. An
    /// inner query, which has the columns `columns`, numbers the objects with equal values.
    private func firsts(
        _ results: [Tree.Expression], of columns: [Tree.Expression], in collection: Collection
    ) -> Tree.Select {
        // Missing and null both stand for nil, so that they count as one value.
        let values = distinct.map { Tree.Expression.call(FunctionCall("IFMISSING", [$0, .literal(.null)])) }
        let window = Window(partitions: values, order: order + [Tree.OrderTerm(Self.id)])
        let number = Tree.Expression.call(FunctionCall("ROW_NUMBER", [], window: window))
        let named = zip(columns, ["$id", "$body"]).map { Tree.ResultColumn($0, as: $1) }
        let sorting = order.enumerated().map { Tree.ResultColumn($1.expression, as: Self.sorting($0)) }
        let inner = select(named + [Tree.ResultColumn(number, as: Self.place)] + sorting, collection)
        return Tree.Select(
            .columns(results.map { Tree.ResultColumn($0) }),
            from: Tree.From(.subquery(Tree.Query(inner), alias: Self.found)),
            where: .operation(Self.found(Self.place), .equal, .literal(.integer(1))))
    }

    private static func found(_ name: String) -> Tree.Expression { .path(Tree.Path(found, [.name(name)])) }
}

/// Reads the objects of a query on demand.
// Sendable: a `ResultSet` may be used from any thread, and all other properties are immutable.
final class ObjectReader<M: Model>: Sendable {
    private let results: ResultSet?
    private let coder: ModelCoder<M>
    private let database: Database

    /// Creates a reader. Its `ResultSet` is registered with `running`, which can cancel the query.
    init(_ query: ObjectQuery<M>, _ running: Running? = nil) throws {
        (coder, database) = try query.coder()
        results = try query.whole()?.execute()
        if let results { running?.set(results) }
    }

    func next() throws -> M? {
        guard let row = try results?.nextResult() else { return nil }
        return try coder.object(row, in: database)
    }

    /// Returns the next objects, at most `count`.
    func objects(_ count: Int = .max) throws -> [M] {
        var objects: [M] = []
        while objects.count < count, let object = try next() { objects.append(object) }
        return objects
    }
}

extension ModelCoder {
    /// Returns the object that is decoded from a row of ``ObjectQuery/whole()``.
    func object(_ row: SealiteQuery.Result, in database: Database) throws -> M {
        try object(id: row.string(at: 0) ?? "", body: row.element(at: 1) ?? [], in: database)
    }
}
