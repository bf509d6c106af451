internal import SealiteDatabase
internal import SealiteFile
internal import SealiteQuery
internal import SealiteQueryLanguage
internal import SealiteValues

/// The objects of a type that fulfil a condition, in an order. This is a value: each method returns another query, and
/// each iteration reads again.
///
/// ```swift
/// let dogs = store.objects(Dog.self).where(\.age >= 5 && \.breed == "Beagle").sorted(by: \.name)
/// for try await dog in dogs { print(dog.name) }
/// ```
public struct ObjectQuery<M: Model>: AsyncSequence, Sendable {
    /// An object of the query's type.
    public typealias Element = M

    private let store: ModelStore
    private var statement = ObjectStatement()

    init(_ store: ModelStore) { self.store = store }

    // MARK: - Filtering

    /// Returns the query restricted to objects that also fulfil a condition, such as `\.age > 21 && .like(\.name,
    /// "A%")`.
    public func `where`(_ condition: Condition<M>) -> ObjectQuery {
        with { try $0.conditions.append(condition.tree.get()) }
    }

    /// Returns the query restricted to objects that also fulfil a condition in SQL++ (Documentation/QueryLanguage.md).
    ///
    /// - Parameters:
    ///   - condition: the condition; its identifiers name members of the documents.
    ///   - parameters: the values of its parameters, by their names without the `$`. All conditions of the query share
    ///     the values.
    /// - Returns: the restricted query. Running it throws `invalidParameter` if another condition gives a parameter
    ///   another value.
    public func `where`(_ condition: String, _ parameters: [String: any QueryParameter] = [:]) -> ObjectQuery {
        with {
            $0.conditions.append(try Tree.expression(condition))
            for (name, value) in parameters {
                let value = try value.queryValue()
                if let other = $0.parameters.updateValue(value, forKey: name), other != value {
                    throw DatabaseError(
                        .invalidParameter, "two conditions give the parameter \"$\(name)\" different values")
                }
            }
        }
    }

    /// Returns the query restricted to objects that link to the object with a key, through the member at the path of
    /// names.
    func linking<Target: Model>(by names: [String], isList: Bool, to target: Reference<Target>) -> ObjectQuery {
        with { statement in
            guard let root = names.first else { throw SchemaError.invalidPropertyName(type: M.schemaName, name: "") }
            let path = Tree.Expression.path(Tree.Path(root, names.dropFirst().map { .name($0) }))
            let key = SealiteQuery.Expression.literal(try target.queryValue())
            statement.conditions.append(
                isList ? .membership(Membership(key, .elements(path))) : .operation(path, .equal, key))
        }
    }

    /// Returns the query sorted by a member, in the order of stored values. A further call determines the order of
    /// objects that are equal so far. Objects without the member come first, or last in descending order.
    public func sorted<V: Encodable>(by member: KeyPath<M, V>, ascending: Bool = true) -> ObjectQuery {
        sorted(ascending) { try MemberPath.of(member).ordered }
    }

    /// Returns the query sorted by an expression in SQL++, mostly the name of a member. A further call determines the
    /// order of objects that are equal so far.
    public func sorted(_ expression: String, ascending: Bool = true) -> ObjectQuery {
        sorted(ascending) { try Tree.expression(expression) }
    }

    /// Returns the query sorted by a member first, and by its previous sort order second.
    func sortedFirst<V>(by member: KeyPath<M, V>, ascending: Bool) -> ObjectQuery {
        with {
            let term = Tree.OrderTerm(try MemberPath.of(member).ordered, ascending ? .ascending : .descending)
            $0.order.insert(term, at: 0)
        }
    }

    private func sorted(_ ascending: Bool, _ expression: () throws -> Tree.Expression) -> ObjectQuery {
        with { $0.order.append(Tree.OrderTerm(try expression(), ascending ? .ascending : .descending)) }
    }

    /// Returns the query with only one object for each value of a member: the first one in the query's order, or,
    /// without an order, the one with the lowest ID. With further calls, objects are distinct if they differ in at
    /// least one of the members.
    public func distinct<V: Encodable>(by member: KeyPath<M, V>) -> ObjectQuery {
        with { $0.distinct.append(try MemberPath.of(member).expression) }
    }

    /// Returns the query with only one object for each value of an expression in SQL++, mostly a member; see
    /// ``distinct(by:)``.
    public func distinct(_ expression: String) -> ObjectQuery {
        with { $0.distinct.append(try Tree.expression(expression)) }
    }

    /// Returns the query restricted to the objects whose vectors are nearest to a given one among those that fulfil the
    /// query's conditions, the nearest first. A further sort order is for objects with equal distances; a further call, and
    /// ``limit(_:offset:)``, replace the limit.
    ///
    /// - Parameters:
    ///   - vector: the vector that is searched for, with the dimensions of the index.
    ///   - member: the member with the vectors, which has a vector index (``PropertyVectorIndex``). Objects whose member isn't
    ///     a vector aren't found.
    ///   - limit: the number of objects, 1 to 10,000.
    /// - Returns: the query. Running it throws `invalidQuery` if the member has no vector index, if the vector can't be
    ///   searched for by it, and if the objects are to be distinct or in sections.
    public func nearest<V: Encodable>(to vector: [Float], by member: KeyPath<M, V>, limit: Int) -> ObjectQuery {
        with { statement in
            let distance = VectorFunction.approximateDistance(
                between: try MemberPath.of(member).expression, and: vector)
            statement.order.removeAll { $0.expression == statement.distance }
            statement.order.insert(Tree.OrderTerm(distance, .ascending), at: 0)
            (statement.distance, statement.window) = (distance, (limit, 0))
        }
    }

    /// Returns the query limited to `count` objects, after the first `offset` objects. A further call replaces the
    /// limits.
    public func limit(_ count: Int, offset: Int = 0) -> ObjectQuery {
        with { $0.window = (Swift.max(count, 0), Swift.max(offset, 0)) }
    }

    /// Returns a copy of the query with a change. If the change throws, the error is thrown when the query is run.
    private func with(_ change: (inout ObjectStatement) throws -> Void) -> ObjectQuery {
        var query = self
        do {
            try change(&query.statement)
        } catch {
            query.statement.failure = query.statement.failure ?? error
        }
        return query
    }

    // MARK: - Reading

    /// Returns all objects, read from one snapshot of the database.
    ///
    /// - Throws: `invalidQuery` for an invalid condition, `SchemaError` for a key path without a member, and
    ///   `decodingFailed` if a document doesn't fit the type.
    public func all() throws -> [M] { try ObjectReader<M>(self).objects() }

    /// The asynchronous form of ``all()``, which doesn't block the calling task's thread. Cancelling the task ends
    /// reading with an error.
    public func all() async throws -> [M] {
        let running = Running()
        return try await withTaskCancellationHandler {
            try await Offload.run { try ObjectReader<M>(self, running).objects() }
        } onCancel: {
            running.cancel()
        }
    }

    /// Returns the first object; nil if there is none.
    public func first() throws -> M? { try ObjectReader<M>(one()).next() }

    /// Returns the query limited to its first object.
    func one() -> ObjectQuery {
        let window = statement.window
        return limit(Swift.min(window?.limit ?? 1, 1), offset: window?.offset ?? 0)
    }

    /// The asynchronous form of ``first()``, which doesn't block the calling task's thread.
    public func first() async throws -> M? { try await Offload.run { try first() as M? } }

    /// Returns the number of objects, without reading them.
    public func count() throws -> Int {
        let (query, read) = try counting()
        return try query.map { try read(try $0.execute()) } ?? 0
    }

    /// The asynchronous form of ``count()``, which doesn't block the calling task's thread.
    public func count() async throws -> Int { try await Offload.run { try count() as Int } }

    /// Returns the plan of the query as text: its scans and its lookups in indexes. Empty if there is no collection to
    /// read.
    public func explain() throws -> String { try whole()?.explain() ?? "" }

    /// Returns an iterator that reads from the state of the database at which the first object is requested.
    public func makeAsyncIterator() -> Iterator { Iterator(query: self) }

    /// Delivers the objects, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: ObjectQuery
        private var reader: ObjectReader<M>?
        private var batch: ArraySlice<M> = []

        fileprivate init(query: ObjectQuery) { self.query = query }

        /// Returns the next object; nil after the last object.
        public mutating func next() async throws -> M? {
            if let object = batch.popFirst() { return object }
            try Task.checkCancellation()
            let (query, known) = (query, reader)
            let (reader, objects) = try await Offload.run {
                let reader = try known ?? ObjectReader(query)
                // At most this many objects are passed to the task at once.
                return (reader, try reader.objects(128))
            }
            (self.reader, batch) = (reader, objects[...])
            return batch.popFirst()
        }
    }

    // MARK: - The query in SQL++

    /// Returns the SQL++ query for the IDs and the bodies of the documents; nil if there is no collection to read.
    func whole() throws -> SealiteQuery.Query? { try query { $0.whole(in: $1) } }

    /// Returns the SQL++ query for the number of objects without limits, and the function that applies the limits to
    /// its result.
    func counting() throws -> (query: SealiteQuery.Query?, read: @Sendable (ResultSet) throws -> Int) {
        let statement = statement
        return (try query { $0.count(in: $1) }, { statement.counted(try $0.nextResult()?.int(at: 0) ?? 0) })
    }

    func coder() throws -> (ModelCoder<M>, Database) {
        (ModelCoder(try ModelPlan.of(M.self), userInfo: store.configuration.userInfo), store.database)
    }

    /// Returns the SQL++ query; nil if there is no collection to read.
    private func query(_ make: (ObjectStatement, Collection) -> Tree.Query) throws -> SealiteQuery.Query? {
        try statement.check()
        guard let collection = try store.existingBinding(M.self)?.collection else { return nil }
        let query = store.database.createQuery(make(statement, collection))
        let values = Parameters()
        for (name, value) in statement.parameters { values.setValue(value, forName: name) }
        query.parameters = values
        return query
    }

    /// The query as SQL++ text, for comparing two queries; empty if there is no collection to read.
    var text: String {
        get throws {
            if let failure = statement.failure { throw failure }
            guard let collection = try store.existingBinding(M.self)?.collection else { return "" }
            return "\(statement.whole(in: collection))"
        }
    }
}

extension ModelTransaction {
    /// Returns the objects of a type, as a query that can be filtered and sorted.
    public func objects<M: Model>(_ type: M.Type) -> ObjectQuery<M> { store.objects(type) }
}

extension ModelStore {
    /// Returns the objects of a type, as a query that can be filtered and sorted.
    public func objects<M: Model>(_ type: M.Type) -> ObjectQuery<M> { ObjectQuery(self) }

    /// Returns the objects of a type that link to another object: those whose link, or list of links, contains its key.
    ///
    /// - Parameters:
    ///   - type: the type of the objects to find.
    ///   - member: the member with the link, or a path to it through embedded objects, such as `home.owner`.
    ///   - target: the object that is linked to.
    /// - Returns: a query, which can be filtered and sorted.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: String, to target: Target
    ) -> ObjectQuery<M> {
        objects(type, linkingBy: member, to: Reference(target))
    }

    /// Returns the objects of a type that link to the object with a primary key, through the member at a path such as
    /// `home.owner`.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: String, to target: Reference<Target>
    ) -> ObjectQuery<M> {
        let isList = (try? ModelPlan.of(type))?.isList(member) ?? false
        return objects(type).linking(by: member.split(separator: ".").map(String.init), isList: isList, to: target)
    }

    /// Returns the objects of a type whose link refers to a given object.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: KeyPath<M, Reference<Target>>, to target: Target
    ) -> ObjectQuery<M> { objects(type).where(member == target) }

    /// Returns the objects of a type whose optional link refers to a given object.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: KeyPath<M, Reference<Target>?>, to target: Target
    ) -> ObjectQuery<M> { objects(type).where(member == target) }

    /// Returns the objects of a type whose list or set of links contains a link to a given object.
    public func objects<M: Model, Target: Model, L: ListMember>(
        _ type: M.Type, linkingBy member: KeyPath<M, L>, to target: Target
    ) -> ObjectQuery<M> where L.Element == Reference<Target> { objects(type).where(.contains(member, target)) }
}

extension ModelPlan {
    /// Returns whether a path through embedded objects ends at a list, a set or a dictionary.
    fileprivate func isList(_ path: String) -> Bool {
        var object: ObjectSchema? = schema
        var isList = false
        for name in path.split(separator: ".") {
            guard let property = object?[String(name)] else { return false }
            isList = property.type.isCollection
            if case .embedded(let name) = property.type {
                object = embedded.first { $0.name == name }
            } else {
                object = nil
            }
        }
        return isList
    }
}
