internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// The documents of one type in a migration.
final class TypeMigration {
    /// The name of the type.
    let name: String
    /// The type as it was; nil for one that is new.
    let old: ObjectSchema?
    /// The type as it will be; nil for one that isn't declared any more.
    let new: ObjectSchema?
    /// The collection of the documents; nil where there is none, or none any more.
    private(set) var collection: Collection?
    /// A Boolean value that says whether peers have the documents, which a migration leaves alone.
    let isReplicated: Bool
    /// The greatest sequence and the greatest number that were given before the migration: what lies behind them is of the migration.
    let start: (sequence: Int64, number: Int64)
    /// The number of changes of documents besides those of enumerations.
    var changeCount = 0
    /// A Boolean value that says whether an enumeration has brought each document to the new schema.
    var isWritten = false
    /// A Boolean value that says whether the function gave a document another ID.
    var hasNewKeys = false
    /// A Boolean value that says whether each document gets another ID, because another property is the primary key, or one of another type.
    private(set) var movesAll = false
    /// The old primary key's property, where it is a member of the documents from now on.
    private(set) var oldKey: Property?

    init(
        _ name: String, old: ObjectSchema?, new: ObjectSchema?, collection: Collection?, isReplicated: Bool
    ) throws {
        (self.name, self.old, self.new) = (name, old, new)
        (self.collection, self.isReplicated) = (collection, isReplicated)
        start = try collection?.lastPlaces() ?? (0, 0)
    }

    /// Returns whether a document was made or changed by the migration.
    func isTouched(_ document: StoredDocument) -> Bool { document.sequence > start.sequence }

    /// Calls `body` with each live document of a range of numbers, in their order.
    ///
    /// `body` may change documents: what was read ahead is read anew then.
    func forEachDocument(after first: Int64 = 0, through last: Int64, _ body: (StoredDocument) throws -> Void) throws {
        guard let collection else { return }
        var number = first
        while true {
            let page = try collection.storedDocuments(after: number, through: last)
            if page.isEmpty { return }
            for document in page {
                let count = changeCount
                number = document.number
                try body(document)
                if changeCount != count { break }
            }
        }
    }

    /// Removes all documents.
    func removeDocuments(_ didRemove: () throws -> Void) throws {
        try forEachDocument(through: .max) { document in
            try collection?.remove(document)
            try didRemove()
        }
        changeCount += 1
    }

    /// Removes the collection, which must have no documents, unless it is the one that is always there.
    func removeCollection() throws {
        guard let collection, collection.name != Database.defaultCollectionName else { return }
        try collection.database.deleteCollection(name: collection.name, scope: collection.scopeName)
        self.collection = nil
    }

    // MARK: - Primary keys

    /// Learns what becomes of primary keys, once all renames are known.
    ///
    /// - Parameter renames: the new names of the old type's properties.
    func settle(_ renames: [String: String]) {
        guard let old, let new else { return }
        if let key = old.primaryKey {
            let name = renames[key] ?? key
            oldKey = new.isMember(name) ? new[name] : nil
        }
        movesAll = Self.movesAll(old, new, renames)
    }

    private static func movesAll(_ old: ObjectSchema, _ new: ObjectSchema, _ renames: [String: String]) -> Bool {
        guard let key = new.primaryKey, let property = new[key] else { return false }
        guard let oldKey = old.primaryKey else { return key != "_id" }
        guard (renames[oldKey] ?? oldKey) == key, let oldProperty = old[oldKey] else { return true }
        return !oldProperty.type.isStoredAs(property.type)
    }

    /// Returns a body with the ID as a member, where the old primary key becomes one.
    func withOldKey(_ body: [UInt8], id: String) -> [UInt8] {
        guard let oldKey, JSONBEdit.find([.member(oldKey.name)], in: body) == nil,
            let value = oldKey.type.fitting(DocumentKey.value(of: id), { _ in nil }) ?? oldKey.initialValue,
            let stored = try? value.stored()
        else { return body }
        return JSONBEdit.set(stored, at: [.member(oldKey.name)], in: body) ?? body
    }
}
