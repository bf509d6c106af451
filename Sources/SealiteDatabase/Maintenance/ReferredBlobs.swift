internal import GRDB

/// Counts of the blobs that the documents of one collection, or of all collections, refer to. A blob counts once,
/// however many documents refer to it.
package struct ReferredBlobs: Sendable, Equatable {
    /// The number of different blobs that documents refer to.
    package let count: Int
    /// The number of blobs that documents refer to and whose content isn't stored, for instance because no sync has
    /// fetched it yet.
    package let missingCount: Int

    /// Counts the blobs that the documents of the collection with a number refer to, or of all collections if the
    /// number is nil.
    init(_ connection: GRDB.Database, collection number: Int? = nil) throws {
        let references = number.map { "blob_references WHERE collection = \($0)" } ?? "blob_references"
        count = Int(try connection.integer("SELECT count(DISTINCT digest) FROM \(references)"))
        missingCount = Int(
            try connection.integer(
                "SELECT count(*) FROM (SELECT digest FROM \(references)"
                    + " EXCEPT SELECT digest FROM blobs WHERE digest IS NOT NULL)"))
    }
}

extension Database {
    /// Counts the blobs that the documents of a collection refer to, or of all collections if it is nil.
    package func referredBlobs(of collection: Collection? = nil) throws -> ReferredBlobs {
        try reading { try ReferredBlobs($0, collection: collection?.number) }
    }
}
