internal import SealiteValues

/// An `updateOne`, `updateMany` or `replaceOne`, parsed.
struct UpdateStatement: Sendable {
    /// What a statement did.
    struct Outcome: Sendable {
        var matchedCount = 0
        var modifiedCount = 0
        /// The `_id` of the document that was inserted since none matched.
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
            throw MongoError.failedToParse("multi update is not supported for replacement-style update")
        }
        guard !isMany || sort.isEmpty else {
            throw MongoError.failedToParse("Cannot specify sort with multi=true")
        }
    }

    /// Changes the documents of a store, all of them or, where one can't be, none.
    func run(_ store: some DocumentStore) throws -> Outcome {
        var found: [(row: Row, match: FilterMatch)] = []
        // Before any is changed: what an update made mustn't be found again.
        try find.rows(store) { row, match in
            found.append((isMany ? row.withoutBody : row, match))
            return true
        }
        guard !found.isEmpty || !isUpsert else {
            let document = try update.insertion(for: query)
            try store.insert(document)
            return Outcome(upsertedID: document["_id"])
        }
        return try store.nested {
            var outcome = Outcome(matchedCount: found.count)
            for (row, match) in found {
                guard let row = isMany ? try store.document(id: row.id) : row else { continue }
                if try Self.apply(update, to: row, match, in: store) { outcome.modifiedCount += 1 }
            }
            return outcome
        }
    }

    /// Changes one document.
    ///
    /// - Returns: false where the update leaves it as it is, so that nothing is stored.
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
        try store.replace(row, with: changed)
        return true
    }
}

extension Row {
    /// The `_id`; undefined where a document that was made has none.
    var id: BSON {
        switch content {
        case .stored(_, let id): id
        case .made(let document): document["_id"] ?? .undefined
        }
    }

    /// The row without what takes memory, by whose `_id` the document can be read again.
    var withoutBody: Row { Row(["_id": id]) }
}
