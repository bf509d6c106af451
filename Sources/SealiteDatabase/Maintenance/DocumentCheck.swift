internal import GRDB
internal import SealiteCrypto
internal import SealiteJSON
internal import SealiteRevisions

/// Checks the content of a document database against its format, beyond SQLite's integrity check. It only reads.
struct DocumentCheck {
    /// The maximum number of findings in a report. No further documents and blobs are checked once there are as many.
    static let findingLimit = 100
    private static let progressInterval: Int64 = 1_000
    /// The number of chunks of a blob, a mebibyte of content, between two calls of the progress function.
    private static let chunkInterval = 16
    /// The time that the check of a chunk takes, in units of the time that the check of a document's row takes.
    private static let chunkCost: Int64 = 8

    private let connection: GRDB.Database
    private let progress: (DocumentCheckProgress) throws -> Void

    init(_ connection: GRDB.Database, progress: @escaping (DocumentCheckProgress) throws -> Void = { _ in }) {
        self.connection = connection
        self.progress = progress
    }

    /// A collection to check: its number, its name in findings, and the name of the table of its documents.
    private struct CollectionTable {
        let number: Int
        let fullName: String
        var table: String { "documents_\(number)" }
    }

    /// Checks the documents, indexes and blobs of all collections, and returns the findings, at most `findingLimit`.
    /// Content is not quoted.
    ///
    /// - Throws: the errors of the progress function, and errors of the storage.
    func report() throws -> DocumentCheckReport {
        let places = try places()
        var total = Self.chunkCost * (try connection.integer("SELECT count(*) FROM blob_chunks"))
        for place in places {
            total += try connection.integer("SELECT count(*) FROM \(place.table)")
            let check = IndexCheck(connection: connection, place: place.fullName)
            total += Int64(try check.work(collection: place.number))
        }
        var (findings, ofIndexes, done): ([String], [String], Int64) = ([], [], 0)
        for place in places where findings.count + ofIndexes.count < Self.findingLimit {
            findings += try rowFindings(place, &done, total)
            let check = IndexCheck(connection: connection, place: place.fullName)
            ofIndexes += try check.findings(collection: place.number) { try tell(done + Int64($0), total) }
            done += Int64(try check.work(collection: place.number))
        }
        if findings.count + ofIndexes.count < Self.findingLimit { findings += try blobFindings(&done, total) }
        return DocumentCheckReport(
            findings: Array((findings + ofIndexes).prefix(Self.findingLimit)),
            isRepairedByReindexing: findings.isEmpty && !ofIndexes.isEmpty, reasonForNoCheck: nil)
    }

    private func places() throws -> [CollectionTable] {
        try connection.rows("SELECT number, scope, name FROM collections ORDER BY number") { row in
            CollectionTable(
                number: Int(truncatingIfNeeded: row.int64(at: 0)),
                fullName: "\(row.text(at: 1)).\(row.text(at: 2))")
        }
    }

    private func tell(_ done: Int64, _ total: Int64) throws {
        try progress(DocumentCheckProgress(rowCount: UInt64(done), totalRowCount: UInt64(max(done, total))))
    }

    // MARK: - Documents

    private func rowFindings(_ place: CollectionTable, _ done: inout Int64, _ total: Int64) throws -> [String] {
        let statement = try PreparedStatement(
            connection, "SELECT sequence, flags, revision, body, tree, id, number FROM \(place.table) ORDER BY sequence"
        )
        let note = try ConflictNote.read(ofCollection: place.number, connection)
        let noted = Set(note?.sequences ?? [])
        var findings: [String] = []
        while findings.count < Self.findingLimit, try statement.step() {
            if done % Self.progressInterval == 0 { try tell(done, total) }
            done += 1
            let sequence = statement.int64(at: 0)
            let row = "\(place.fullName), sequence \(sequence)"
            findings += try rowFindings(statement, place).map { "\(row): \($0)" }
            if let note, sequence <= note.through, RowFlags(rawValue: statement.int64(at: 1)).contains(.conflicted),
                !noted.contains(sequence)
            {
                findings.append("\(row): the stored list of conflicts lacks the document")
            }
        }
        return findings
    }

    private func rowFindings(_ statement: borrowing PreparedStatement, _ place: CollectionTable) throws -> [String] {
        var findings: [String] = []
        let flags = RowFlags(rawValue: statement.int64(at: 1))
        let body = statement.bytes(at: 3)
        if let body, !JSONBValidator.isValid(body) {
            findings.append("the body is not a JSONB object")
        } else if body == nil, !flags.contains(.deleted) {
            findings.append("the document has no body, although it is not deleted")
        }
        do {
            _ = (try statement.sequence(at: 0), try statement.documentNumber(at: 6))
            let id = try statement.documentID(at: 5)
            do throws(DatabaseError) { try Names.checkID(id) } catch { findings.append(error.reason) }
            let tree = try RevisionTree(
                stored: statement.bytes(at: 4), current: try statement.revision(at: 2),
                isDeleted: flags.contains(.deleted))
            if tree.conflicts.isEmpty == flags.contains(.conflicted) {
                findings.append("the conflict flag does not fit the revision tree")
            }
            if tree.bases.isEmpty == flags.contains(.hasBases) {
                findings.append("the flag for bases of deltas does not fit the revision tree")
            }
            let current = body ?? Document.emptyBody
            let bases = tree.bases.bodies(current: current)
            if bases.count < tree.bases.list.count || !bases.allSatisfy({ JSONBValidator.isValid($0) }) {
                findings.append("a base of deltas is damaged, or does not belong to the body")
            }
            let bodies = [current] + tree.bodies(current: current)
            let digests = Set(bodies.flatMap { BodyScanner.blobDigests($0) })
            if !digests.isEmpty, !flags.contains(.hasBlobs) {
                findings.append("the document refers to blobs, but its flag for blobs is missing")
            }
            let known = try BlobStore(connection).references(of: statement.text(at: 5), inCollection: place.number)
            if !digests.isSubset(of: known) {
                findings.append("the table of blob references lacks a blob to which the document refers")
            }
        } catch let error as DatabaseError where error.code == .corruptData {
            findings.append(error.reason)
        }
        return findings
    }

    // MARK: - Blobs

    private func blobFindings(_ done: inout Int64, _ total: Int64) throws -> [String] {
        let statement = try PreparedStatement(
            connection, "SELECT digest, length FROM blobs WHERE digest IS NOT NULL ORDER BY number")
        var findings: [String] = []
        while findings.count < Self.findingLimit, try statement.step() {
            guard let digest = BlobDigest(bytes: statement.bytes(at: 0) ?? []) else {
                findings.append("the digest of a stored blob does not have 20 bytes")
                continue
            }
            do {
                _ = try BlobStore(connection).find(digest)
            } catch let error as DatabaseError where error.code == .corruptData {
                findings.append(error.reason)
                continue
            }
            var hasher = try SHA1.Hasher()
            var (index, length) = (0, 0)
            while let chunk = try BlobStore(connection).chunk(index, of: digest) {
                if index % Self.chunkInterval == 0 { try tell(done, total) }
                done += Self.chunkCost
                try unsafe chunk.withUnsafeBytes { try unsafe hasher.update($0) }
                (index, length) = (index + 1, length + chunk.count)
            }
            if try hasher.finalize() != digest.bytes || length != statement.int64(at: 1) {
                findings.append("the content of the blob \(digest) does not have the recorded digest or length")
            }
        }
        let strays = try connection.integer(
            "SELECT count(*) FROM blob_chunks WHERE position >> 24 NOT IN (SELECT number FROM blobs)")
        if strays > 0 { findings.append("\(strays) stored chunks of content belong to no blob") }
        return findings
    }
}

/// The progress of a check of documents, blobs and indexes.
package struct DocumentCheckProgress: Sendable, Equatable {
    /// The work that is done, in units of about the time that the check of a document takes. The documents of a
    /// collection, tombstones included, are checked before its indexes, and the content of the blobs comes last.
    package let rowCount: UInt64
    /// The work for all documents, indexes and blobs.
    package let totalRowCount: UInt64
}

/// The result of a check of the documents, blobs and indexes in a sealed file.
package struct DocumentCheckReport: Sendable, Codable, Equatable {
    /// Descriptions of what is wrong in the file, at most 100; content is not quoted. Empty if nothing was found, or
    /// nothing was checked.
    package let findings: [String]
    /// A Boolean value that says whether there are findings and all of them concern indexes, which can be rebuilt.
    package let isRepairedByReindexing: Bool
    /// The reason for which nothing was checked; nil if the file was checked.
    package let reasonForNoCheck: String?

    /// The number of blobs that documents refer to and whose content isn't stored; nil if nothing was checked.
    package var missingBlobCount: Int?
}
