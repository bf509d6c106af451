internal import SealiteValues

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
