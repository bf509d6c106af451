public import SealiteDatabase
public import SealiteValues

/// The documents of a collection, read and changed in the calling thread's transaction.
// Used on the transaction's thread only.
final class CollectionDocuments: DocumentStore {
    private let source: CollectionSource
    /// The document that was read last; usually the next change is to this document.
    private var last: Document?
    private var collection: Collection { source.collection }

    /// Creates a store for a collection of a database that has a transaction on the calling thread.
    init(_ collection: Collection) { source = CollectionSource(collection: collection) }

    // MARK: - Reading

    func visit(_ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool) throws {
        try source.visit(filter, isReversed: isReversed, body)
    }

    func visit(_ filter: Filter, sortedBy order: SortOrder, limit: Int, _ body: (Row) throws -> Bool) throws {
        try source.visit(filter, sortedBy: order, limit: limit, body)
    }

    func visitIDs(_ filter: Filter, _ body: (BSON, FilterMatch) throws -> Void) throws {
        try source.visitIDs(filter, body)
    }

    func visitToReplace(_ filter: Filter, _ body: (Row, FilterMatch) throws -> Void) throws {
        // Finding a row by its row number takes half the time of finding it by the document's ID.
        var found: [(number: Int64, match: FilterMatch)] = []
        try source.visitNumbers(filter) { found.append(($0, $1)) }
        let counter = WriteControl.counting(found.count)
        for (number, match) in found {
            defer { counter?.count() }
            guard let document = try collection.document(number: number) else { continue }
            last = document
            try body(Row(document), match)
        }
    }

    func count(_ filter: Filter, limit: Int) throws -> Int { try source.count(filter, limit: limit) }

    func document(id: BSON) throws -> Row? { try stored(id).map { Row($0) } }

    /// Returns the stored document with an `_id`; nil if there is none.
    private func stored(_ id: BSON) throws -> Document? {
        for key in (try? DocumentKey.candidates(for: id)) ?? [] {
            guard let document = try collection.document(id: key) else { continue }
            last = document
            return document
        }
        return nil
    }

    // MARK: - Changing

    func insert(_ document: MongoDocument) throws {
        let id = document["_id"] ?? .null
        let key = try Self.key(of: id)
        guard try stored(id) == nil else { throw MongoError.duplicateKey(in: collection.fullName) }
        let edited = MutableDocument(id: key)
        edited.setEncoded(try Self.body(of: document, from: nil))
        try collection.saveForMongo(edited)
    }

    func replace(_ row: Row, with document: MongoDocument) throws {
        let stored = try current(row)
        try save(try Self.body(of: document, from: stored.body), in: stored)
    }

    func replaceWhole(_ row: Row, with document: MongoDocument) throws {
        try collection.database.replacing { try replace(row, with: document) }
    }

    func replace(_ row: Row, withBody body: [UInt8]) throws { try save(body, in: try current(row)) }

    /// Returns the stored document of a row that was read in this transaction.
    private func current(_ row: Row) throws -> Document {
        if let last, case .stored(_, let id) = row.content, DocumentKey.value(of: last.id) == id { return last }
        return try require(
            stored(row.id), 112,
            "A document of the collection '\(collection.fullName)' was removed before this write could replace it.")
    }

    private func save(_ body: [UInt8], in document: Document) throws {
        last = nil
        guard body != document.body else { return }
        let edited = document.toMutable()
        edited.setEncoded(body)
        try collection.saveForMongo(edited)
    }

    func remove(id: BSON) throws {
        guard let document = try stored(id) else { return }
        last = nil
        try collection.delete(id: document.id)
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
            case .refusedType(let type):
                throw MongoError(code: 53, "A value of the type \(type.alias) can't be an '_id'.")
            case .looksLikeWrapper:
                throw MongoError.badValue(
                    "The '_id' wouldn't be read back as the same value, for example because a document in it has a member such as '$oid'."
                )
            case .tooLong(let count):
                throw MongoError.badValue(
                    "The '_id' takes \(count) bytes as a document ID, more than \(DocumentKey.maximumByteCount).")
            }
        }
    }

    /// Returns the body of a document without its `_id`; members that are equal to those of an older body keep their
    /// stored bytes.
    private static func body(of document: MongoDocument, from old: [UInt8]?) throws -> [UInt8] {
        try SyncedBody.stored(document, keeping: old)
    }
}

/// The documents of a collection that doesn't exist: none.
struct MissingCollection: DocumentSource {
    func visit(_ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool) {}

    func document(id: BSON) -> Row? { nil }
}

/// A database with MongoDB's calls: its collections, filters, updates and aggregation.
///
/// ```swift
/// let store = MongoStore(database)
/// let people = try store.collection("people", as: Person.self)
/// try await people.insertOne(Person(name: "Ada", age: 36))
/// for try await person in people.find(["age": ["$gte": 21]], options: FindOptions(sort: ["name": 1])) {
///     print(person.name)
/// }
/// ```
public struct MongoStore: Sendable {
    /// The database whose collections the store accesses.
    public let database: Database

    /// Creates a store of a database.
    public init(_ database: Database) {
        IndexGuards.filtersAreKnown
        self.database = database
    }

    /// Returns a collection of documents of a type, which is created if it doesn't exist.
    ///
    /// - Parameters:
    ///   - name: the collection's name.
    ///   - scope: the collection's scope.
    ///   - type: the type of the documents; `MongoDocument` for documents of any shape.
    ///   - form: the stored form of dates, bytes and UUIDs in values of the type.
    /// - Returns: the collection.
    /// - Throws: `DatabaseError` with `badName` for an invalid name, and for errors of the storage.
    public func collection<T: Codable & Sendable>(
        _ name: String, scope: String = Database.defaultScopeName, as type: T.Type = MongoDocument.self,
        form: ValueForm = .typed
    ) throws -> MongoCollection<T> {
        // The collection is looked up first, since creating one waits for other writers.
        let existing = try database.collection(name: name, scope: scope)
        return MongoCollection(try existing ?? database.createCollection(name: name, scope: scope), form: form)
    }

    /// Runs a command on a collection and returns its reply: `find`, `count`, `distinct`, `insert`, `update`, `delete`
    /// or `findAndModify`, in the form of MongoDB's wire protocol. A command that writes is one transaction; it creates
    /// the collection if it doesn't exist. For a command that only reads, such a collection has no documents.
    ///
    /// - Throws: `MongoError` for an invalid command, and for errors that the reply of the command has no member for;
    ///   `DatabaseError` for errors of the storage.
    public func runCommand(
        _ command: MongoDocument, scope: String = Database.defaultScopeName
    ) async throws -> MongoDocument {
        let parsed = try Command(command)
        if let read = parsed.reading {
            return try await database.read {
                let existing = try database.collection(name: parsed.collection, scope: scope)
                guard let existing else { return try read(MissingCollection()) }
                return try read(CollectionDocuments(existing))
            }
        }
        let collection: MongoCollection<MongoDocument> = try collection(parsed.collection, scope: scope)
        return try await collection.write { store in try parsed.run(store) }
    }
}
