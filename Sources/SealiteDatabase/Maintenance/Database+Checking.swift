internal import GRDB
package import SealiteFile

/// The result of a check of the documents, blobs and indexes in a sealed file.
package struct DocumentCheckReport: Sendable, Codable, Equatable {
    /// Descriptions of findings, at most 100; content is not quoted.
    package let findings: [String]
    /// A Boolean value that says whether all findings concern indexes, which can be rebuilt.
    package let isRepairedByReindexing: Bool
    /// The reason for which nothing was checked; nil if everything was.
    package let reasonForNoCheck: String?

    init(findings: [String], isRepairedByReindexing: Bool) {
        (self.findings, self.isRepairedByReindexing, reasonForNoCheck) = (findings, isRepairedByReindexing, nil)
    }

    init(reasonForNoCheck: String) {
        (findings, isRepairedByReindexing, self.reasonForNoCheck) = ([], false, reasonForNoCheck)
    }
}

extension Database {
    /// Checks the documents, blobs and indexes in a sealed file, which isn't changed. SQLite's integrity check doesn't
    /// know their format.
    ///
    /// - Returns: nil if the file isn't a document database.
    /// - Throws: the errors of `progress`, and errors of the storage.
    package static func checkDocuments(
        in file: SealedDatabase, progress: @escaping (DocumentCheckProgress) throws -> Void
    ) throws -> DocumentCheckReport? {
        let configuration = connectionConfiguration(DatabaseConfiguration(), cacheKibibytes: 8 * 1024)
        do {
            let reader = try SealedOpener(handle: file).openReader(configuration)
            let report = try reader.unsafeRead { try check($0, file.path, progress) }
            try reader.close()
            return report
        } catch {
            throw DatabaseError.mapped(error)
        }
    }

    private static func check(
        _ connection: GRDB.Database, _ path: String, _ progress: @escaping (DocumentCheckProgress) throws -> Void
    ) throws -> DocumentCheckReport? {
        do {
            guard case .documents(let version) = try Schema.content(of: connection, path: path) else { return nil }
            guard version == Schema.version else {
                return DocumentCheckReport(
                    reasonForNoCheck: "the documents have format \(version); opening the database migrates it")
            }
        } catch let error as DatabaseError where error.code == .wrongFormat {
            return nil
        } catch let error as DatabaseError where error.code == .databaseTooNew {
            return DocumentCheckReport(reasonForNoCheck: error.reason)
        }
        // The transaction keeps one state of the file, whatever is committed meanwhile.
        try connection.run("BEGIN")
        defer { connection.endTransaction("COMMIT") }
        return try DocumentCheck(connection, progress: progress).report()
    }
}
