internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// The documents of one type in a migration.
final class TypeMigration {
    /// The name of the type.
    let name: String
    /// The type before the migration; nil for a new type.
    let old: ObjectSchema?
    /// The type after the migration; nil for a type that is no longer declared.
    let new: ObjectSchema?
    /// The collection of the documents; nil if there is none, or it was deleted.
    private(set) var collection: Collection?
    /// A Boolean value that says whether the collection is synced: peers have the documents, and the migration doesn't
    /// change them.
    let isReplicated: Bool
    /// The greatest sequence and the greatest row number before the migration; greater ones belong to changes of the
    /// migration.
    let start: (sequence: Int64, number: Int64)
    /// A counter that is incremented when documents are changed outside of the enumeration that is reading them.
    var changeCount = 0
    /// A Boolean value that says whether an enumeration has converted each document to the new schema.
    var isWritten = false
    /// A Boolean value that says whether the closure of an enumeration has set a document's primary key.
    var hasNewKeys = false
    /// A Boolean value that says whether each document gets another ID, because the primary key or its type has
    /// changed.
    private(set) var movesAll = false
    /// The property that was the primary key, if it becomes a member of the documents' bodies; otherwise nil.
    private(set) var oldKey: Property?

    init(
        _ name: String, old: ObjectSchema?, new: ObjectSchema?, collection: Collection?, isReplicated: Bool
    ) throws {
        (self.name, self.old, self.new) = (name, old, new)
        (self.collection, self.isReplicated) = (collection, isReplicated)
        start = try collection?.lastPlaces() ?? (0, 0)
    }

    /// Returns whether this migration has created or changed a document.
    func isTouched(_ document: StoredDocument) -> Bool { document.sequence > start.sequence }

    /// Calls `body` with each document that isn't deleted and whose row number is in a range, in the order of the row
    /// numbers.
    ///
    /// `body` may change documents: documents that were read ahead are then read again.
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

    /// Removes all documents of the type, and calls `didRemove` after each.
    func removeDocuments(_ didRemove: () throws -> Void) throws {
        try forEachDocument(through: .max) { document in
            try collection?.remove(document)
            try didRemove()
        }
        changeCount += 1
    }

    /// Removes the collection, which must be empty, unless it is the default collection.
    func removeCollection() throws {
        guard let collection, collection.name != Database.defaultCollectionName else { return }
        try collection.database.deleteCollection(name: collection.name, scope: collection.scopeName)
        self.collection = nil
    }

    // MARK: - Primary keys

    /// Determines the changes of primary keys, once all renames are known.
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

    /// Returns a body to which the document's ID is added under the name of ``oldKey``; the same body if ``oldKey`` is
    /// nil.
    func withOldKey(_ body: [UInt8], id: String) -> [UInt8] {
        guard let oldKey, JSONBEdit.find([.member(oldKey.name)], in: body) == nil,
            let value = oldKey.type.fitting(DocumentKey.value(of: id), { _ in nil }) ?? oldKey.initialValue,
            let stored = try? value.stored()
        else { return body }
        return JSONBEdit.set(stored, at: [.member(oldKey.name)], in: body) ?? body
    }
}
