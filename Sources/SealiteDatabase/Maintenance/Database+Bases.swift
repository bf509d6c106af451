internal import SealiteRevisions

// The bound on the bases of deltas (Documentation/DocumentFormat.md §4.4).
extension Database {
    /// The least number of bytes of new bases after which their size is compared with the bound: it has to be counted.
    private static let basesBetweenChecks = 1 << 20
    /// The number of documents whose bases are removed in one transaction, and the number of bytes of their rows, which are
    /// written anew, after which a transaction ends.
    private static let (documentsPerStep, bytesPerStep) = (200, 16 << 20)
    private static let addedName = "added"

    /// Counts bytes of new bases. If enough were added since the size of the bases was last compared with the bound, by
    /// this process or others, bases beyond the bound are removed.
    func upkeepBases(adding byteCount: Int) throws {
        guard byteCount > 0 else { return }
        let fileByteCount = try reading {
            try $0.integer("PRAGMA page_count") * $0.integer("PRAGMA page_size")
        }
        let isDue = try writer.perform(self) { _ in
            let stored = try localValue(store: FormatTables.servedBasesStore, name: Self.addedName)?.value
            let added = UInt64(byteCount).addingReportingOverflow(stored.flatMap { UInt64(bigEndianBytes: $0) } ?? 0)
            let isDue = added.overflow || added.partialValue >= max(Self.basesBetweenChecks, Int(fileByteCount) / 64)
            try setLocalValue(
                store: FormatTables.servedBasesStore, name: Self.addedName,
                value: (isDue ? 0 : added.partialValue).bigEndianBytes)
            return isDue
        }
        if isDue { try trimBases() }
    }

    /// Removes the bases of the documents that changed first, in each collection whose bases take more than their share
    /// of the size of all bodies, until they take at most seven eighths of it.
    func trimBases() throws {
        for collection in try reading({ try self.allCollections($0) }) {
            let (bodies, bases) = try collection.bodyAndBaseByteCount()
            let limit = Double(bodies) * configuration.deltaBaseShare
            guard Double(bases) > limit else { continue }
            try removeBases(of: collection, byteCount: bases - Int64(limit * 0.875)) {}
        }
    }

    /// Removes all bases of deltas, in transactions of at most 16 MiB and one document; until they are stored anew,
    /// documents travel whole.
    ///
    /// - Parameter progress: called before each transaction; an error ends the work.
    /// - Returns: the number of documents whose bases were removed.
    /// - Throws: the errors of `progress`, and errors of the storage.
    func removeBases(_ progress: () throws -> Void) throws -> Int {
        try reading { try self.allCollections($0) }.reduce(0) {
            $0 + (try removeBases(of: $1, byteCount: .max, progress))
        }
    }

    @discardableResult
    private func removeBases(
        of collection: Collection, byteCount: Int64, _ progress: () throws -> Void
    ) throws -> Int {
        var (left, last, count) = (byteCount, Int64(0), 0)
        while left > 0 {
            // The rows are found without the lock for writing.
            let rows = try collection.rowsWithBases(after: last, limit: Self.documentsPerStep)
            guard !rows.isEmpty else { break }
            try progress()
            try writer.perform(self) { transaction in
                var written: Int64 = 0
                for row in rows where left > 0 && written < Self.bytesPerStep {
                    left -= Int64(try transaction.removeBases(row.id, in: collection))
                    (last, written, count) = (row.sequence, written + row.byteCount, count + 1)
                }
            }
        }
        return count
    }
}

extension Collection {
    /// Returns at most `limit` documents with bases of deltas whose sequences are greater than `sequence`, in their order,
    /// with the sizes of their rows in bytes.
    fileprivate func rowsWithBases(
        after sequence: Int64, limit: Int
    ) throws -> [(id: String, sequence: Int64, byteCount: Int64)] {
        try database.reading { connection in
            try connection.rows(
                """
                SELECT id, sequence, ifnull(length(body), 0) + length(tree) FROM \(self.sql.table)
                WHERE sequence > ?1 AND flags & 8 ORDER BY sequence LIMIT ?2
                """, sequence, limit
            ) { (id: try $0.documentID(at: 0), sequence: try $0.sequence(at: 1), byteCount: $0.int64(at: 2)) }
        }
    }

    /// Returns the size of all bodies, and that of the trees with bases of deltas, in bytes.
    fileprivate func bodyAndBaseByteCount() throws -> (bodies: Int64, bases: Int64) {
        try database.reading { connection in
            try connection.first(
                "SELECT total(length(body)), total(CASE WHEN flags & 8 THEN length(tree) END) FROM \(self.sql.table)"
            ) { (Int64($0.double(at: 0)), Int64($0.double(at: 1))) } ?? (0, 0)
        }
    }
}

extension Transaction {
    /// Removes the bases of a document, and returns by how many bytes its tree became smaller: 0 for a damaged tree, which
    /// an integrity check reports, and which doesn't keep the others.
    fileprivate func removeBases(_ id: String, in collection: Collection) throws -> Int {
        let found: RevisionRecord?
        do {
            found = try collection.treeRecord(id, connection)
        } catch let error as DatabaseError where error.code == .corruptData {
            return 0
        }
        guard var record = found else { return 0 }
        record.tree.bases = DeltaBases()
        try updateTree(record, of: id, in: collection)
        return (record.head?.tree?.count ?? 0) - (record.tree.stored?.count ?? 0)
    }
}
