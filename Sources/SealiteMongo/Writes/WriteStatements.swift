internal import SealiteDatabase
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
        try require(
            !isMany || !self.update.isReplacement,
            .failedToParse("A replacement concerns one document, so that it can't have 'multi'."))
        try require(
            !isMany || sort.isEmpty,
            .failedToParse("A 'sort' selects one document, so that it can't be given with 'multi'."))
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

/// A parsed `insertOne`: a document with its `_id`.
struct InsertStatement: Sendable {
    /// The document, whose `_id` is its first member.
    let document: MongoDocument

    /// Creates the statement of a document; one without an `_id` gets an ObjectID. Throws `MongoError` if the `_id`
    /// isn't allowed.
    init(_ document: MongoDocument) throws {
        let id = document["_id"] ?? .objectID(ObjectID())
        try DocumentID.check(id)
        var document = document
        document.putFirst("_id", id)
        // As in MongoDB, a timestamp of zeros at the top of a document stands for the current time.
        for member in document.members.dropFirst() {
            guard case .timestamp(let time) = member.value, time.seconds == 0, time.increment == 0 else { continue }
            let seconds = UInt32(truncatingIfNeeded: DateTime.now.milliseconds / 1000)
            document[member.key] = .timestamp(Timestamp(seconds: seconds, increment: 1))
        }
        self.document = document
    }

    /// The document's `_id`.
    var id: BSON { document["_id"] ?? .null }

    /// Inserts the document into a store.
    func run(_ store: some DocumentStore) throws { try store.insert(document) }
}

/// A parsed `deleteOne` or `deleteMany`.
struct DeleteStatement: Sendable {
    private let find: FindStatement

    init(_ filter: MongoDocument, isMany: Bool, context: FilterContext = FilterContext()) throws {
        find = try FindStatement(filter: filter, limit: isMany ? nil : 1, context: context)
    }

    /// Deletes the matching documents of a store, or the first one. If one can't be deleted, this throws, and the
    /// caller rolls back the deletions before it.
    ///
    /// - Returns: the number of deleted documents.
    func run(_ store: some DocumentStore) throws -> Int {
        var ids: [BSON] = []
        if find.limit == nil {
            try store.visitIDs(find.filter) { id, _ in ids.append(id) }
        } else if let (row, _) = try find.first(store) {
            ids = [row.id]
        }
        let counter = WriteControl.counting(ids.count)
        for id in ids {
            try store.remove(id: id)
            counter?.count()
        }
        return ids.count
    }
}

/// A parsed `findOneAndUpdate`, `findOneAndReplace` or `findOneAndDelete`.
struct FindAndModifyStatement: Sendable {
    /// The change that is made to the document that is found.
    enum Action: Sendable {
        case remove
        case update(Update, isUpsert: Bool, returnsNew: Bool)
    }

    /// The result of a statement.
    struct Outcome: Sendable {
        /// The projected document before or after the change, whichever was requested; nil if there is none.
        var value: MongoDocument?
        /// A Boolean value that says whether a document matched, even if the update left it unchanged; false if none
        /// matched, also when one was inserted.
        var wasFound = false
        /// The `_id` of the document that was inserted because none matched; nil if none was inserted.
        var upsertedID: BSON?
    }

    private let query: MongoDocument
    private let find: FindStatement
    let action: Action

    init(
        _ query: MongoDocument, _ action: Action, sort: MongoDocument = [:], projection: MongoDocument = [:],
        context: FilterContext = FilterContext()
    ) throws {
        (self.query, self.action) = (query, action)
        find = try FindStatement(filter: query, sort: sort, limit: 1, projection: projection, context: context)
    }

    /// Changes or deletes the first matching document of a store. If none matches, an upsert inserts a document.
    func run(_ store: some DocumentStore) throws -> Outcome {
        guard let (row, match) = try find.first(store) else { return try insert(store) }
        switch action {
        case .remove:
            let value = try projected(row, match)
            try store.remove(id: row.id)
            return Outcome(value: value, wasFound: true)
        case .update(let update, _, let returnsNew):
            let before = try returnsNew ? nil : projected(row, match)
            let document = row.document
            let changed = try update.apply(to: document, position: match.position)
            let after = try returnsNew ? projected(Row(changed), match) : nil
            if changed != document {
                try update.isReplacement ? store.replaceWhole(row, with: changed) : store.replace(row, with: changed)
            }
            return Outcome(value: before ?? after, wasFound: true)
        }
    }

    private func insert(_ store: some DocumentStore) throws -> Outcome {
        guard case .update(let update, isUpsert: true, let returnsNew) = action else { return Outcome() }
        let document = try update.insertion(for: query)
        try store.insert(document)
        let value = try returnsNew ? projected(Row(document), FilterMatch(position: nil)) : nil
        return Outcome(value: value, upsertedID: document["_id"])
    }

    private func projected(_ row: Row, _ match: FilterMatch) throws -> MongoDocument {
        try find.projection?.projector().document(of: row, match) ?? row.document
    }
}
