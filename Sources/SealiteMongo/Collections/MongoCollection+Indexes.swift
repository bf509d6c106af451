internal import SealiteDatabase
public import SealiteValues

// Indexes.
extension MongoCollection {
    /// Makes an index over paths and fills it; an index of the same definition stays as it is. It is kept with every change, by whomever, and `unique` and
    /// `expireAfterSeconds` hold for what every Swift API of this process writes, and for all documents when the index is made.
    ///
    /// - Parameters:
    ///   - keys: the paths in their order, each with 1 or -1. An index serves both directions.
    ///   - options: the options.
    /// - Returns: the index's name.
    /// - Throws: `MongoError` 67 for what isn't an index, 85 where an index of the name or of the paths is another one, 11000 where documents have the same values in
    ///   a unique one; `DatabaseError` of the storage.
    @discardableResult
    public func createIndex(_ keys: MongoDocument, options: IndexOptions = IndexOptions()) async throws -> String {
        try await createIndexes([IndexModel(keys: keys, options: options)])[0]
    }

    /// Makes indexes, all or none; see ``createIndex(_:options:)``.
    @discardableResult
    public func createIndexes(_ models: [IndexModel]) async throws -> [String] {
        for model in models { try model.check() }
        return try await database.write { _ in
            for model in models { try make(model) }
            return models.map(\.name)
        }
    }

    private func make(_ model: IndexModel) throws {
        // Every collection has that one.
        if model.paths == ["_id"] { return }
        let existing = try PathIndex.all(of: collection)
        if let same = existing.first(where: { $0.model.keys == model.keys }), same.model.name != model.name {
            throw MongoError(code: 85, "There is an index over the same paths with the name '\(same.model.name)'.")
        }
        if let found = try collection.indexRecords().first(where: { $0.name == model.name }) {
            if existing.contains(where: { $0.model.name == model.name && $0.model.stored == model.stored }) { return }
            throw MongoError(
                code: found.kind == "multikey" ? 86 : 85, "There is another index of the name '\(model.name)'.")
        }
        let definition = KeyDefinition(paths: model.paths, isSparse: model.options.sparse, source: model.stored)
        try collection.createIndex(model.name, definition, components: [.bson])
        guard let made = try PathIndex.all(of: collection).first(where: { $0.model.name == model.name }) else {
            throw MongoError(code: 67, "The index '\(model.name)' can't be used.")
        }
        try IndexGuards(collection).check(made)
        if model.options.expireAfterSeconds != nil { try collection.setExpirationsByIndexes() }
    }

    /// Returns the indexes, by their names, with that over `_id` first.
    public func listIndexes() async throws -> [IndexModel] {
        try await read { source in
            let made = try PathIndex.all(of: source.collection).map(\.model).sorted { $0.name < $1.name }
            return [IndexModel(keys: ["_id": 1], options: IndexOptions(name: "_id_"))] + made
        }
    }

    /// Returns the names of the indexes, with `_id_` first.
    public func listIndexNames() async throws -> [String] { try await listIndexes().map(\.name) }

    /// Deletes an index.
    ///
    /// - Throws: `MongoError` 27 where there is none of the name, 72 for `_id_`.
    public func dropIndex(_ name: String) async throws {
        guard name != "_id_" else { throw MongoError(code: 72, "The index over '_id' can't be dropped.") }
        try await database.write { _ in
            guard try PathIndex.all(of: collection).contains(where: { $0.model.name == name }) else {
                throw MongoError(code: 27, "There is no index of the name '\(name)'.")
            }
            try collection.deleteIndex(name)
        }
    }

    /// Deletes the indexes that this API has made.
    public func dropIndexes() async throws {
        try await database.write { _ in
            for index in try PathIndex.all(of: collection) { try collection.deleteIndex(index.model.name) }
        }
    }

    /// Returns the groups of documents that have the same values in a unique index, which sync may bring: their `_id`s.
    ///
    /// - Throws: `MongoError` 27 where there is no unique index of the name.
    public func duplicates(inIndex name: String) async throws -> [[BSON]] {
        try await read { source in
            guard let index = try PathIndex.all(of: source.collection).first(where: { $0.model.name == name }),
                index.model.options.unique
            else { throw MongoError(code: 27, "There is no unique index of the name '\(name)'.") }
            return try IndexGuards(source.collection).duplicates(index)
        }
    }

    /// Returns how documents that fulfil a filter are found, and put into an order.
    public func explain(_ filter: MongoDocument = [:], sort: MongoDocument = [:]) async throws -> FindPlan {
        let parsed = try Filter(parsing: filter)
        let order = try FindOrder(sort)
        return try await read { source in
            guard case .sorted(let sort) = order else {
                return FindPlan(access: try ScanPlan(parsed, in: source.collection).access, sort: nil)
            }
            guard let order = try IndexOrder.best(parsed, sort, source.collection) else {
                return FindPlan(access: try ScanPlan(parsed, in: source.collection).access, sort: .blocking)
            }
            let isWhole = order.servedCount == sort.keys.count
            return FindPlan(
                access: .index(order.index.model.name, rangeCount: order.range == nil ? 0 : 1),
                sort: isWhole ? .index : .partlyIndex(order.servedCount))
        }
    }
}

/// The way in which the documents that fulfil a filter are found, and put into an order.
public struct FindPlan: Sendable, Hashable, CustomStringConvertible {
    /// The way in which documents are found.
    public enum Access: Sendable, Hashable {
        /// Every document is read.
        case scan
        /// Documents are looked up by their `_id`s, so many of them.
        case ids(Int)
        /// Ranges of an index are read, so many of them, or all of it where they are 0; the documents that they lead to are tested with the filter.
        case index(String, rangeCount: Int)
    }

    /// The way in which documents are put into the order of a sort.
    public enum Sort: Sendable, Hashable {
        /// The index is read in the order.
        case index
        /// The index is read in the order of the first paths of the sort, so many of them; documents with equal values there are sorted by the others.
        case partlyIndex(Int)
        /// All documents that are found are sorted before the first one is given.
        case blocking
    }

    /// The way in which documents are found.
    public let access: Access
    /// The way in which they are put into an order; nil for the natural one.
    public let sort: Sort?

    /// True if all documents are read before the first one is given.
    public var isSortBlocking: Bool { sort == .blocking }

    /// A sentence about the plan.
    public var description: String {
        let found =
            switch access {
            case .scan: "read every document"
            case .ids(let count): "look \(count) \(count == 1 ? "document" : "documents") up by _id"
            case .index(let name, 0): "read the index \(name)"
            case .index(let name, let count): "search \(count) \(count == 1 ? "range" : "ranges") of the index \(name)"
            }
        return switch sort {
        case nil: found
        case .index: "\(found) in the order of the sort"
        case .partlyIndex(1): "\(found) in the order of the sort's first path, and sort equal ones by the others"
        case .partlyIndex(let count):
            "\(found) in the order of the sort's first \(count) paths, and sort equal ones by the others"
        case .blocking: "\(found), then sort what is found"
        }
    }
}
