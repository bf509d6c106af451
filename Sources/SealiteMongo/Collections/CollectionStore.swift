internal import SealiteDatabase
internal import SealiteValues

/// The documents of a collection in the transaction of the calling thread, which may change them.
struct CollectionStore: DocumentStore {
    private let source: CollectionSource
    private var collection: Collection { source.collection }

    /// A collection of a database with a transaction on the calling thread.
    init(_ collection: Collection) { source = CollectionSource(collection: collection) }

    // MARK: - Reading

    func visit(_ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool) throws {
        try source.visit(filter, isReversed: isReversed, body)
    }

    func count(_ filter: Filter, limit: Int) throws -> Int { try source.count(filter, limit: limit) }

    func document(id: BSON) throws -> Row? { try source.document(id: id) }

    // MARK: - Changing

    func insert(_ document: MongoDocument) throws {
        let id = document["_id"] ?? .null
        let key = try Self.key(of: id)
        guard try source.document(id: id) == nil else { throw MongoError.duplicateKey(in: collection.fullName) }
        let edited = MutableDocument(id: key)
        edited.setEncoded(try Self.body(of: document, from: nil))
        try collection.save(document: edited)
    }

    func replace(_ row: Row, with document: MongoDocument) throws {
        for key in (try? DocumentKey.candidates(for: row.id)) ?? [] {
            guard let stored = try collection.document(id: key) else { continue }
            let body = try Self.body(of: document, from: stored.body)
            guard body != stored.body else { return }
            let edited = stored.toMutable()
            edited.setEncoded(body)
            try collection.save(document: edited)
            return
        }
        throw MongoError(code: 112, "The document was removed meanwhile.")
    }

    func remove(id: BSON) throws {
        for key in (try? DocumentKey.candidates(for: id)) ?? [] where try collection.document(id: key) != nil {
            try collection.delete(id: key)
        }
    }

    func nested<Result>(_ body: () throws -> Result) throws -> Result {
        try collection.database.write { _ in try body() }
    }

    // MARK: - Stored forms

    private static func key(of id: BSON) throws -> String {
        do throws(DocumentKey.Failure) {
            return try DocumentKey.text(of: id)
        } catch {
            switch error {
            case .refusedType(let type): throw MongoError(code: 53, "The '_id' value cannot be of type \(type.alias)")
            case .looksLikeWrapper: throw MongoError.badValue("The '_id' would be read as a value of another type.")
            case .tooLong(let count):
                throw MongoError.badValue("The '_id' takes \(count) bytes, more than \(DocumentKey.maximumByteCount).")
            }
        }
    }

    /// The body of a document without its `_id`; what it has in common with an older one stays as it was stored.
    private static func body(of document: MongoDocument, from old: [UInt8]?) throws -> [UInt8] {
        var members = document
        members["_id"] = nil
        do throws(StoredValueError) {
            guard let old else { return try members.stored() }
            return try BodyPatch.body(of: members, keeping: old)
        } catch {
            throw MongoError.badValue("The document can't be stored: \(error).")
        }
    }
}
