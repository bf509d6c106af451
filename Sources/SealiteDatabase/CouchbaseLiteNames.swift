public import FoundationEssentials

// Names of Couchbase Lite that differ from Swift's conventions, as forwarding aliases.

extension Database {
    /// Returns the stored blob that a blob's description names; nil if it isn't in the database. This is Couchbase
    /// Lite's name for `blob(properties:)`.
    public func getBlob(properties: DictionaryObject) throws -> Blob? { try blob(properties: properties) }

    /// The asynchronous form of ``getBlob(properties:)``, which doesn't block the calling task's thread.
    public func getBlob(properties: DictionaryObject) async throws -> Blob? {
        try await blob(properties: properties)
    }
}

extension Collection {
    /// Returns the time at which a document is purged automatically; nil for never. This is Couchbase Lite's name for
    /// `documentExpiration(id:)`.
    public func getDocumentExpiration(id: String) throws -> Date? { try documentExpiration(id: id) }

    /// The asynchronous form of ``getDocumentExpiration(id:)``, which doesn't block the calling task's thread.
    public func getDocumentExpiration(id: String) async throws -> Date? { try await documentExpiration(id: id) }
}

/// `Database` under a name that GRDB, SwiftNIO and an application's own types don't have.
public typealias DocumentDatabase = Database

/// `DatabaseError` under a name that GRDB doesn't have.
public typealias DocumentDatabaseError = DatabaseError

/// `Collection` under a name that the standard library doesn't have.
public typealias DocumentCollection = Collection
