internal import GRDB
package import SealiteFile
internal import SealiteMaintenance

extension Database {
    /// Checks the documents, blobs and indexes in a sealed file, which isn't changed. SQLite's integrity check doesn't
    /// know their format.
    ///
    /// - Returns: the report; nil if the file isn't a document database.
    /// - Throws: the errors of `progress`, and errors of the storage.
    package static func checkDocuments(
        in file: SealedDatabase, progress: @escaping (DocumentCheckProgress) throws -> Void
    ) throws -> DocumentCheckReport? {
        let sidecars = Sidecars(file)
        defer { sidecars.removeNew() }
        return try DatabaseError.mapping {
            try SealedOpener(handle: file).withReader(cacheKibibytes: 8 * 1024) { try check($0, file.path, progress) }
        }
    }

    private static func check(
        _ connection: GRDB.Database, _ path: String, _ progress: @escaping (DocumentCheckProgress) throws -> Void
    ) throws -> DocumentCheckReport? {
        do {
            guard case .documents = try FormatTables.content(of: connection, path: path) else { return nil }
        } catch let error as DatabaseError where error.code == .wrongFormat {
            return nil
        } catch let error as DatabaseError where [.databaseTooNew, .databaseTooOld].contains(error.code) {
            return DocumentCheckReport(
                findings: [], isRepairedByReindexing: false, reasonForNoCheck: error.reason)
        } catch let error as DatabaseError where error.code == .corruptData {
            // The rows of other tables under the format's names aren't read.
            return DocumentCheckReport(
                findings: [error.reason], isRepairedByReindexing: false, reasonForNoCheck: nil)
        }
        // The read transaction keeps one snapshot of the file, unaffected by commits meanwhile.
        try connection.run("BEGIN")
        defer { connection.endTransaction("COMMIT") }
        var report = try DocumentCheck(connection, progress: progress).report()
        report.missingBlobCount = try ReferredBlobs(connection).missingCount
        return report
    }

    /// Counts the blobs that the documents of a collection refer to, or of all collections if it is nil.
    package func referredBlobs(of collection: Collection? = nil) throws -> ReferredBlobs {
        try reading { try ReferredBlobs($0, collection: collection?.number) }
    }
}

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
