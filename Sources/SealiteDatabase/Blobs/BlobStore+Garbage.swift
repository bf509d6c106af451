internal import SealiteRevisions

/// What garbage collection stores in `local_values` (Documentation/DocumentFormat.md §3), and the blobs that it may
/// delete.
extension BlobStore {
    /// The time for which a blob may wait for its first reference, or is kept after its last one, in milliseconds: a
    /// day.
    static let unreferencedLifetime: Int64 = 86_400_000

    private static let store = "blobs"
    private static let stateName = "collection"

    /// Returns the name of the value that identifies the process which writes the blob with a number.
    static func writerName(_ number: Int64) -> String { "writer/\(number)" }

    private func value(_ name: String) throws -> String? {
        try connection.localValue(Self.store, name).map { String(decoding: $0.value, as: UTF8.self) }
    }

    func setValue(_ name: String, _ text: String) throws {
        try connection.setLocalValue(Self.store, name, Array(text.utf8))
    }

    func removeValue(_ name: String) throws { try connection.removeLocalValue(Self.store, name) }

    // MARK: - The state of the collection

    /// The progress of garbage collection: the number of the blob that was examined last, 0 if no pass over the blobs is
    /// in progress, and the time, in milliseconds since 1970, at which the next pass is due; nil if none is.
    struct CollectionState: Equatable {
        var cursor: Int64 = 0
        var due: Int64?
    }

    /// Returns the stored state of the collection; nil if there is none, so that a pass is due.
    func collectionState() throws -> CollectionState? {
        let words = try value(Self.stateName)?.split(separator: " ") ?? []
        guard words.count == 2, let cursor = Int64(words[0]) else { return nil }
        return CollectionState(cursor: cursor, due: Int64(words[1]))
    }

    func setCollectionState(_ state: CollectionState) throws {
        guard try collectionState() != state else { return }
        try setValue(Self.stateName, "\(state.cursor) \(state.due.map(String.init) ?? "-")")
    }

    /// Makes sure that a pass examines the blobs a day from now, because a blob has no reference since now.
    func noteUnreferenced() throws {
        guard var state = try collectionState() else { return }
        let due = now + Self.unreferencedLifetime
        guard state.due.map({ $0 > due }) ?? true else { return }
        state.due = due
        try setCollectionState(state)
    }

    /// Records the time at which the last reference to a blob was removed, if it was the last: the blob is kept for a
    /// day from then, because a `Blob` of another process may be reading it.
    func noteRemovedReference(to digest: BlobDigest) throws {
        let touched = try connection.run(
            """
            UPDATE blobs SET touched = ?2 WHERE digest = ?1
            AND NOT EXISTS (SELECT 1 FROM blob_references WHERE digest = ?1)
            """, digest.bytes, now)
        if touched > 0 { try noteUnreferenced() }
    }

    // MARK: - What may be deleted

    /// Returns whether there are any blobs at all.
    func isEmpty() throws -> Bool { try connection.integer("SELECT EXISTS (SELECT 1 FROM blobs)") == 0 }

    /// Returns the blobs without a digest: those that are being written, those whose writer has ended, and those whose
    /// deletion has begun.
    func withoutDigest() throws -> [(number: Int64, touched: Int64)] {
        try connection.rows("SELECT number, touched FROM blobs WHERE digest IS NULL") { row in
            (try Self.number(row), row.int64(at: 1))
        }
    }

    /// Returns whether the process that wrote a blob without a digest has certainly ended.
    func isAbandoned(_ number: Int64) throws -> Bool {
        try value(Self.writerName(number)).map { BlobWriterLife.hasEnded($0) } ?? false
    }

    /// A blob, as far as its deletion depends on it.
    struct Candidate {
        let number: Int64
        let digest: BlobDigest?
        let length: Int64
        let touched: Int64
        let wasUsed: Bool
        let isReferred: Bool
    }

    /// Returns the next `count` blobs with a digest after the one with a number.
    func candidates(after number: Int64, count: Int) throws -> [Candidate] {
        try connection.rows(
            """
            SELECT number, digest, length, touched, used,
                EXISTS (SELECT 1 FROM blob_references AS reference WHERE reference.digest = blobs.digest)
            FROM blobs WHERE number > ?1 AND digest IS NOT NULL ORDER BY number LIMIT ?2
            """, number, count
        ) { row in
            Candidate(
                number: try Self.number(row), digest: row.bytes(at: 1).flatMap { BlobDigest(bytes: $0) },
                length: try Self.length(row, at: 2), touched: row.int64(at: 3), wasUsed: row.int64(at: 4) != 0,
                isReferred: row.int64(at: 5) != 0)
        }
    }

    /// Returns the number of blobs with a digest and the greatest number of a blob, for reports of progress.
    func extent() throws -> (count: Int64, last: Int64) {
        (
            try connection.integer("SELECT count(*) FROM blobs WHERE digest IS NOT NULL"),
            try connection.integer("SELECT ifnull(max(number), 0) FROM blobs")
        )
    }
}
