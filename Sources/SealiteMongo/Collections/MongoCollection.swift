public import SealiteDatabase
internal import SealiteValues

/// A collection of documents of a type, with MongoDB's methods.
///
/// Each read uses one snapshot of the database, and each write is one transaction. Errors of filters, updates and
/// pipelines are `MongoError`s with MongoDB's codes, errors of the storage `DatabaseError`s.
public struct MongoCollection<T: Codable & Sendable>: Sendable {
    /// The collection of the document database.
    public let collection: Collection
    let coding: TypedCoding<T>
    /// A Boolean value that says whether writes to the collection go through its per-document sync
    /// (`Database.writeSynced`), which adds inserted documents to the set of synced documents.
    package var isSynced = false

    /// Creates MongoDB's methods for an existing collection of the document database. Unlike
    /// ``MongoStore/collection(_:scope:as:form:)``, this doesn't create the collection. `form` is the stored form of
    /// dates, bytes and UUIDs in values of the type `T`.
    public init(_ collection: Collection, form: ValueForm = .typed) {
        IndexGuards.filtersAreKnown
        (self.collection, coding) = (collection, TypedCoding(form: form))
    }

    /// The collection's name.
    public var name: String { collection.name }

    var database: Database { collection.database }

    /// Runs `body` with the collection's documents in a snapshot of the database, and returns its result.
    func read<Result: Sendable>(_ body: @Sendable (CollectionSource) throws -> Result) async throws -> Result {
        try await database.read { try body(CollectionSource(collection: collection)) }
    }

    /// Runs `body` with the collection's documents in a transaction, and returns its result.
    func write<Result: Sendable>(_ body: @Sendable (CollectionDocuments) throws -> Result) async throws -> Result {
        let collection = collection
        if isSynced {
            return try await database.writeSynced(collection) { _ in try body(CollectionDocuments(collection)) }
        }
        return try await database.write { _ in try body(CollectionDocuments(collection)) }
    }
}

/// Converts documents to values of a type, and values to documents.
struct TypedCoding<T: Codable & Sendable>: Sendable {
    /// The stored form of dates, bytes and UUIDs.
    var form = ValueForm.typed

    /// A Boolean value that says whether values are documents as they are.
    static var isPlain: Bool { T.self == MongoDocument.self }

    /// Returns rows for decoding elsewhere: documents that are returned as they are have been decoded already.
    static func prepared(_ rows: [Row]) -> [Row] { isPlain ? rows.map { Row($0.document) } : rows }

    /// Returns the value that is decoded from a row; from a stored body in place.
    func decode(_ row: Row) throws -> T {
        guard !Self.isPlain, case .stored(let body, let id) = row.content else { return try decode(row.document) }
        return try BSONDecoder().decode(T.self, from: body, id: id)
    }

    /// Returns the value that is decoded from a document.
    func decode(_ document: MongoDocument) throws -> T {
        if Self.isPlain { return unsafe unsafeBitCast(document, to: T.self) }
        return try BSONDecoder().decode(T.self, from: document)
    }

    /// Returns the document as which a value is encoded.
    func encode(_ value: T) throws -> MongoDocument {
        if let same = value as? MongoDocument { return same }
        return try BSONEncoder(form: form).encode(value)
    }
}
