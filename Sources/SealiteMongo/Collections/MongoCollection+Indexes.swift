internal import SealiteDatabase
internal import SealiteJSON
public import SealiteValues

// Indexes.
extension MongoCollection {
    /// Creates an index over paths and fills it; an existing index with the same definition is left unchanged. So is
    /// the index over `_id`, which every collection has.
    ///
    /// Every write maintains the index, whichever API or process makes it. `unique` and `expireAfterSeconds` are
    /// enforced for writes of every Swift API of this process, and for all documents when the index is created.
    ///
    /// - Parameters:
    ///   - keys: the paths in their order, each with 1 or -1. An index serves both directions. With `2dsphere`, or `2d`, the index
    ///     is one on the geometries at the path, and other paths are only part of its definition.
    ///   - options: the options.
    /// - Returns: the index's name; `_id_` for the index over `_id`, whatever name the options have.
    /// - Throws: `MongoError` 67 for invalid paths or options, the error of the filter for an invalid
    ///   `partialFilterExpression`, 85 if an index over the same paths has another name, 86 if an index with the name
    ///   has another definition (85 if it wasn't created through this API), and for a unique index 11000 if documents
    ///   have the same values, 17280 if a value is too long or a document has too many, 171 if several of its paths
    ///   lead through arrays of a document, 16755 or 13027 if a document has a value that an index on geometries can't have;
    ///   `DatabaseError` for errors of the storage.
    @discardableResult
    public func createIndex(_ keys: MongoDocument, options: IndexOptions = IndexOptions()) async throws -> String {
        try await createIndexes([IndexModel(keys: keys, options: options)])[0]
    }

    /// Creates indexes, all or none, and returns their names in the order of `models`; see ``createIndex(_:options:)``.
    @discardableResult
    public func createIndexes(_ models: [IndexModel]) async throws -> [String] {
        for model in models { try model.check() }
        return try await database.write { _ in
            for model in models { try make(model) }
            return models.map(\.name)
        }
    }

    private func make(_ model: IndexModel) throws {
        if model.isOverID { return }
        if model.isText { return try makeText(model) }
        let existing = try PathIndex.all(of: collection)
        if let same = existing.first(where: { $0.model.keys == model.keys }), same.model.name != model.name {
            throw MongoError(
                code: 85,
                "The index '\(model.name)' can't be created: '\(same.model.name)' is an index over the same paths.")
        }
        if let found = try collection.indexRecords().first(where: { ExactText.areSame($0.name, model.name) }) {
            if existing.contains(where: { $0.model.isSame(as: model) }) { return }
            throw MongoError(
                code: found.kind == .multikey || found.kind == .geo ? 86 : 85,
                "The index '\(model.name)' can't be created: an index with this name has another definition.")
        }
        let definition =
            model.grid.map { KeyDefinition(grid: $0, paths: model.geometryPaths, source: model.stored) }
            ?? KeyDefinition(paths: model.paths, isSparse: model.options.sparse, source: model.stored)
        try collection.createIndex(model.name, definition, components: [.bson])
        let made = try require(
            PathIndex.all(of: collection).first(where: { ExactText.areSame($0.model.name, model.name) }), 67,
            "The index '\(model.name)' isn't created, since its stored definition can't be read back.")
        try IndexGuards(collection).check(made)
        if model.options.expireAfterSeconds != nil { try collection.setExpirationsByIndexes() }
    }

    private func makeText(_ model: IndexModel) throws {
        let existing = try StringIndex.all(of: collection)
        if existing.contains(where: { $0.model.isSame(as: model) }) { return }
        try require(
            existing.isEmpty, 85,
            "The index '\(model.name)' can't be created: '\(existing.first?.model.name ?? "")' is the text index of the collection, which can have one."
        )
        try require(
            try collection.indexRecords().allSatisfy { !ExactText.areSame($0.name, model.name) }, 86,
            "The index '\(model.name)' can't be created: another index has this name.")
        try collection.createIndex(model.name, try model.textDefinition())
    }

    /// Returns the models of the indexes that were created through this API, sorted by name.
    private static func models(of collection: Collection) throws -> [IndexModel] {
        let models = try PathIndex.all(of: collection).map(\.model) + StringIndex.all(of: collection).map(\.model)
        return models.sorted { $0.name < $1.name }
    }

    /// Returns the index over `_id`, which every collection has, followed by the indexes that were created through this
    /// API, sorted by name.
    public func listIndexes() async throws -> [IndexModel] {
        try await read { source in
            let made = try Self.models(of: source.collection)
            return [IndexModel(keys: ["_id": 1], options: IndexOptions(name: "_id_"))] + made
        }
    }

    /// Returns the names of the indexes that ``listIndexes()`` returns, `_id_` first.
    public func listIndexNames() async throws -> [String] { try await listIndexes().map(\.name) }

    /// Deletes an index that was created through this API.
    ///
    /// - Throws: `MongoError` 27 if no index of the name was created through this API, 72 for `_id_`.
    public func dropIndex(_ name: String) async throws {
        try require(name != "_id_", 72, "The index over '_id' can't be dropped.")
        try await database.write { _ in
            try require(
                Self.models(of: collection).contains(where: { $0.name == name }), 27,
                "There is no index with the name '\(name)' that was created through the MongoDB API.")
            try collection.deleteIndex(name)
        }
    }

    /// Deletes all indexes that were created through this API.
    public func dropIndexes() async throws {
        try await database.write { _ in
            for model in try Self.models(of: collection) { try collection.deleteIndex(model.name) }
        }
    }

    /// Returns the groups of documents that have the same values in a unique index, each as an array of `_id`s. Such
    /// documents can arrive by sync.
    ///
    /// - Throws: `MongoError` 27 if there is no unique index of the name.
    public func duplicates(inIndex name: String) async throws -> [[BSON]] {
        try await read { source in
            guard let index = try PathIndex.all(of: source.collection).first(where: { $0.model.name == name }),
                index.model.options.unique
            else { throw MongoError(code: 27, "There is no unique index of the name '\(name)'.") }
            return try IndexGuards(source.collection).duplicates(index)
        }
    }

    /// Returns the plan by which documents that fulfil a filter are found and sorted.
    public func explain(_ filter: MongoDocument = [:], sort: MongoDocument = [:]) async throws -> FindPlan {
        let parsed = try Filter(parsing: filter)
        let order = try FindOrder(sort)
        return try await read { source in
            if let near = parsed.near {
                let index = try NearCursor.index(for: near, source.collection)
                return FindPlan(
                    access: .index(index.model.name, rangeCount: 0), sort: sort.isEmpty ? .distance : .blocking)
            }
            guard case .sorted(let sort) = order else { return try Self.plan(parsed, sort: nil, source.collection) }
            guard let order = try IndexOrder.best(parsed, sort, source.collection) else {
                return try Self.plan(parsed, sort: .blocking, source.collection)
            }
            let isWhole = order.servedCount == sort.keys.count
            return FindPlan(
                access: .index(order.index.model.name, rangeCount: order.range == nil ? 0 : 1),
                sort: isWhole ? .index : .partlyIndex(order.servedCount))
        }
    }

    private static func plan(_ filter: Filter, sort: FindPlan.Sort?, _ collection: Collection) throws -> FindPlan {
        let access = try ScanPlan(filter, in: collection).access
        guard access == .scan else { return FindPlan(access: access, sort: sort) }
        let paths = Set(FilterBounds(filter).paths.map(\.path))
        let others = try collection.indexRecords().filter { !paths.isDisjoint(with: $0.queryPaths) }
        return FindPlan(access: access, sort: sort, indexesOfQueries: others.map(\.name))
    }
}
