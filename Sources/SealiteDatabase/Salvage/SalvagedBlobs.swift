internal import SealiteCrypto
internal import SealiteFile
internal import SealiteMaintenance
internal import SealiteRevisions

/// The blobs of a damaged file, reassembled from the remaining chunks and verified by their digests.
struct SalvagedBlobs {
    let salvage: GuidedSalvage
    private var connection: RawConnection { salvage.connection }
    private static let chunkByteCount = 65_536

    /// Restores blobs and the references to blobs; called after the documents were restored.
    func place(_ report: inout SalvagedDocuments, _ collections: [Int]) throws(SealedFileError) {
        try placeReferences(collections)
        try placeRows()
        try nameContent()
        try checkContent(&report)
        try listAbsent(&report)
        report.strayChunkCount = Int(
            try connection.integer(
                "SELECT count(*) FROM blob_chunks WHERE position >> 24 NOT IN (SELECT number FROM blobs)"))
        try connection.execute("DELETE FROM blob_chunks WHERE position >> 24 NOT IN (SELECT number FROM blobs)")
    }

    /// Fills the table of references to blobs from the documents' bodies, and removes the references of lost documents.
    private func placeReferences(_ collections: [Int]) throws(SealedFileError) {
        let connection = connection
        let list = collections.map { String($0) }.joined(separator: ", ")
        try connection.execute("DELETE FROM blob_references WHERE collection NOT IN (\(list))")
        for number in collections {
            try connection.execute(
                """
                DELETE FROM blob_references AS r WHERE collection = \(number)
                AND NOT EXISTS (SELECT 1 FROM documents_\(number) AS d WHERE d.id = r.id)
                """)
            try connection.query(
                "SELECT id, flags, revision, body, tree FROM documents_\(number) WHERE flags & 4"
            ) { (row) throws(SealedFileError) in
                guard let current = RevisionID(stored: row.blob(2)) else { return }
                let tree = try? RevisionTree(
                    stored: row.optionalBlob(4), current: current, isDeleted: row.integer(1) & 1 != 0)
                let body = row.blob(3)
                let bodies = [body] + (tree?.bodies(current: body) ?? [])
                for digest in Set(bodies.flatMap { BodyScanner.blobDigests($0) }) {
                    try connection.query(
                        "INSERT OR IGNORE INTO blob_references (collection, id, digest) VALUES (\(number), ?1, ?2)",
                        bind: [.text(row.text(0) ?? ""), .blob(digest.bytes)])
                }
            }
        }
    }

    /// Restores the rows of blobs, and the chunks of their content, that no b-tree reaches.
    private func placeRows() throws(SealedFileError) {
        let rows =
            "\(salvage.lostAndFound) WHERE nfield = 5 AND id > 0 AND typeof(c0) = 'null'"
            + " AND (c1 IS NULL OR typeof(c1) = 'blob' AND length(c1) = 20) AND typeof(c2) = 'integer'"
            + " AND typeof(c3) = 'integer' AND typeof(c4) = 'integer'"
        let chunks =
            "\(salvage.lostAndFound) WHERE nfield = 2 AND id >= 1 << 24 AND typeof(c0) = 'null' AND typeof(c1) = 'blob'"
            + " AND length(c1) BETWEEN 1 AND \(Self.chunkByteCount)"
        try connection.execute(
            """
            INSERT OR IGNORE INTO blobs (number, digest, length, touched, used) SELECT id, c1, c2, c3, c4 FROM \(rows);
            DELETE FROM \(rows);
            INSERT OR IGNORE INTO blob_chunks (position, data) SELECT id, c1 FROM \(chunks);
            DELETE FROM \(chunks)
            """)
        let root = salvage.roots["sqlite_autoindex_blobs_1"] ?? 0
        try connection.query(
            """
            INSERT OR IGNORE INTO blobs (number, digest, length, touched, used)
            SELECT c1, c0, -1, ?1, 1 FROM \(GuidedSalvage.entries)
            WHERE (rootpgno = \(root) OR rootpgno NOT IN (\(salvage.knownRoots)))
            AND nfield = 2 AND typeof(c0) = 'blob' AND length(c0) = 20 AND typeof(c1) = 'integer' AND c1 > 0
            """, bind: [.integer(Milliseconds.now)])
    }

    /// Computes the digest of content whose row is lost, and restores the row if a document refers to a blob with that
    /// digest.
    private func nameContent() throws(SealedFileError) {
        let nameless = try connection.rows(
            "SELECT DISTINCT position >> 24 FROM blob_chunks WHERE position >> 24 NOT IN (SELECT number FROM blobs)"
        ) { $0.integer(0) }
        for number in nameless {
            guard let content = try content(number) else { continue }
            try connection.query(
                """
                INSERT OR IGNORE INTO blobs (number, digest, length, touched, used) SELECT ?1, ?2, ?3, ?4, 1
                WHERE EXISTS (SELECT 1 FROM blob_references WHERE digest = ?2)
                """,
                bind: [
                    .integer(number), .blob(content.digest), .integer(content.byteCount), .integer(Milliseconds.now),
                ])
        }
    }

    /// Removes incomplete blobs and lists them in the report: otherwise a blob with missing chunks would count as
    /// stored when it is requested, or offered again.
    private func checkContent(_ report: inout SalvagedDocuments) throws(SealedFileError) {
        let rows = try connection.rows("SELECT number, digest, length FROM blobs") { row in
            (row.integer(0), row.optionalBlob(1), row.integer(2))
        }
        for (number, digest, byteCount) in rows {
            let content = try content(number)
            if let digest, let content, content.digest == digest, byteCount < 0 || byteCount == content.byteCount {
                if byteCount < 0 {
                    try connection.query(
                        "UPDATE blobs SET length = ?2 WHERE number = ?1",
                        bind: [.integer(number), .integer(content.byteCount)])
                }
                continue
            }
            try connection.query(
                "DELETE FROM blob_chunks WHERE position BETWEEN ?1 << 24 AND ((?1 + 1) << 24) - 1",
                bind: [.integer(number)])
            try connection.query("DELETE FROM blobs WHERE number = ?1", bind: [.integer(number)])
            guard let digest, let name = BlobDigest(bytes: digest) else { continue }
            let counts = try connection.rows(
                "SELECT count(*) FROM blob_references WHERE digest = ?1", bind: [.blob(digest)]
            ) { Int($0.integer(0)) }
            let count = counts.first ?? 0
            // A blob without references may have been deleted, if it is unknown which pages are free.
            guard count > 0 || salvage.freelistIsComplete else { continue }
            report.lostBlobs.append(
                LostBlob(digest: "\(name)", byteCount: byteCount < 0 ? nil : byteCount, documentCount: count))
        }
    }

    /// Lists, in the report, the blobs that documents refer to and of which nothing remains.
    private func listAbsent(_ report: inout SalvagedDocuments) throws(SealedFileError) {
        let listed = Set(report.lostBlobs.map(\.digest))
        let absent = try connection.rows(
            """
            SELECT digest, count(*) FROM blob_references
            WHERE digest NOT IN (SELECT digest FROM blobs WHERE digest NOTNULL) GROUP BY digest
            """
        ) { row -> LostBlob? in
            guard let name = BlobDigest(bytes: row.blob(0)), !listed.contains("\(name)") else { return nil }
            return LostBlob(digest: "\(name)", byteCount: nil, documentCount: Int(row.integer(1)))
        }
        report.lostBlobs += absent.compactMap { $0 }
    }

    /// Returns the digest and the size of the stored chunks of the blob with a number; nil if a chunk before the last
    /// stored one is missing, or if a chunk has the wrong size. Missing chunks at the end show only in the digest.
    private func content(_ number: Int64) throws(SealedFileError) -> (digest: [UInt8], byteCount: Int64)? {
        var content = try ContentDigest()
        var (index, byteCount, isWhole, isLast) = (Int64(0), Int64(0), true, false)
        try connection.query(
            "SELECT position, data FROM blob_chunks WHERE position BETWEEN ?1 << 24 AND ((?1 + 1) << 24) - 1 ORDER BY position",
            bind: [.integer(number)]
        ) { (row) throws(SealedFileError) in
            let data = row.blob(1)
            if isLast || row.integer(0) != number << 24 + index || data.count > Self.chunkByteCount { isWhole = false }
            isLast = data.count < Self.chunkByteCount
            (index, byteCount) = (index + 1, byteCount + Int64(data.count))
            try content.add(data)
        }
        guard isWhole else { return nil }
        return (try content.finish(), byteCount)
    }
}

/// A SHA-1 computation whose failures are `SealedFileError`s.
private struct ContentDigest: ~Copyable {
    private var hasher: SHA1.Hasher

    init() throws(SealedFileError) {
        do throws(CryptoError) { hasher = try SHA1.Hasher() } catch { throw Self.failure(error) }
    }

    mutating func add(_ bytes: [UInt8]) throws(SealedFileError) {
        do throws(CryptoError) {
            try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(CryptoError) in
                try unsafe hasher.update(bytes)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    consuming func finish() throws(SealedFileError) -> [UInt8] {
        do throws(CryptoError) { return try hasher.finalize() } catch { throw Self.failure(error) }
    }

    private static func failure(_ error: CryptoError) -> SealedFileError {
        SealedFileError(.internalFailure, "a blob's digest couldn't be computed: \(error.reason)")
    }
}
