internal import SealiteValues

/// A parsed `updateOne`, `updateMany` or `replaceOne`.
struct UpdateStatement: Sendable {
    /// The result of a statement.
    struct Outcome: Sendable {
        var matchedCount = 0
        var modifiedCount = 0
        /// The `_id` of the document that was inserted because none matched; nil if none was inserted.
        var upsertedID: BSON?
    }

    private let query: MongoDocument
    private let find: FindStatement
    private let update: Update
    private let isUpsert: Bool
    private let isMany: Bool

    init(
        _ query: MongoDocument, _ update: BSON, isMany: Bool, isUpsert: Bool = false, arrayFilters: [BSON] = [],
        sort: MongoDocument = [:], context: FilterContext = FilterContext()
    ) throws {
        self.query = query
        find = try FindStatement(filter: query, sort: sort, limit: isMany ? nil : 1, context: context)
        self.update = try Update(parsing: update, arrayFilters: arrayFilters, context: context)
        (self.isMany, self.isUpsert) = (isMany, isUpsert)
        guard !isMany || !self.update.isReplacement else {
            throw MongoError.failedToParse("A replacement concerns one document, so that it can't have 'multi'.")
        }
        guard !isMany || sort.isEmpty else {
            throw MongoError.failedToParse("A 'sort' selects one document, so that it can't be given with 'multi'.")
        }
    }

    /// Changes the matching documents of a store, or the first one. If none matches, an upsert inserts a document. If
    /// one can't be changed, this throws, and the caller rolls back the changes before it: with the transaction, or by
    /// `DocumentStore.nested(_:)`, for which SQLite copies each page before it is changed.
    func run(_ store: some DocumentStore) throws -> Outcome {
        let outcome = try isMany ? updateAll(store) : updateFirst(store)
        guard outcome.matchedCount == 0, isUpsert else { return outcome }
        let document = try update.insertion(for: query)
        try store.insert(document)
        return Outcome(upsertedID: document["_id"])
    }

    private func updateFirst(_ store: some DocumentStore) throws -> Outcome {
        guard let (row, match) = try find.first(store) else { return Outcome() }
        let isChanged = try Self.apply(update, to: row, match, in: store)
        return Outcome(matchedCount: 1, modifiedCount: isChanged ? 1 : 0)
    }

    private func updateAll(_ store: some DocumentStore) throws -> Outcome {
        var outcome = Outcome()
        try store.visitToReplace(find.filter) { row, match in
            outcome.matchedCount += 1
            if try Self.apply(update, to: row, match, in: store) { outcome.modifiedCount += 1 }
        }
        return outcome
    }

    /// Applies an update to one document of a store.
    ///
    /// - Returns: true if the document was changed; false if the update leaves it equal, so that nothing is stored.
    static func apply(
        _ update: Update, to row: Row, _ match: FilterMatch, in store: some DocumentStore
    ) throws -> Bool {
        if case .stored(let body, _) = row.content, let edited = try update.edited(body, position: match.position) {
            guard edited != body else { return false }
            try store.replace(row, withBody: edited)
            return true
        }
        let document = row.document
        let changed = try update.apply(to: document, position: match.position)
        guard changed != document else { return false }
        try update.isReplacement ? store.replaceWhole(row, with: changed) : store.replace(row, with: changed)
        return true
    }
}

extension Row {
    /// The document's `_id`; undefined if a document in memory has none.
    var id: BSON {
        switch content {
        case .stored(_, let id): id
        case .made(let document): document["_id"] ?? .undefined
        }
    }
}
