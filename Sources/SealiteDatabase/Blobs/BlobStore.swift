internal import GRDB
internal import SealiteBase
internal import SealiteRevisions

/// The blob tables, accessed through one connection (Documentation/DocumentFormat.md §3).
struct BlobStore {
    static let chunkByteCount = 65_536
    private static let positionBits: Int64 = 24
    /// The bound that the numbers of blobs stay below: the positions of a blob's chunks fit in 63 bits.
    private static let numberLimit: Int64 = 1 << (62 - positionBits)
    /// The greatest length of a blob in bytes, 1 TiB.
    private static let lengthLimit: Int64 = Int64(chunkByteCount) << positionBits

    let connection: GRDB.Database
    private let time: (any TimeSource)?

    /// Creates the object for one connection. Changes record the time of `time`, or the system's if it is nil.
    init(_ connection: GRDB.Database, time: (any TimeSource)? = nil) {
        (self.connection, self.time) = (connection, time)
    }

    /// The present time in milliseconds since 1970.
    var now: Int64 { time?.unixMilliseconds ?? Milliseconds.now }

    /// Frees the page cache: a large blob would fill the cache with content that is rarely read again.
    /// <https://sqlite.org/pragma.html#pragma_shrink_memory>
    func releasePages() throws { try connection.run("PRAGMA shrink_memory") }

    /// Returns the number and the length in bytes of the stored blob with a digest; nil if there is none.
    ///
    /// - Throws: `corruptData` if the number or the length is out of range.
    func find(_ digest: BlobDigest) throws -> (number: Int64, length: UInt64)? {
        try connection.first("SELECT number, length FROM blobs WHERE digest = ?1", digest.bytes) { row in
            (try Self.number(row), UInt64(try Self.length(row, at: 1)))
        }
    }

    /// The greatest number of a blob up to which all blobs are searched for a length, in less than a millisecond.
    private static let searchedCount: Int64 = 10_000

    /// Returns false if certainly no stored blob has a length in bytes.
    func mayHave(length: UInt64) throws -> Bool {
        guard try connection.integer("SELECT ifnull(max(number), 0) FROM blobs") <= Self.searchedCount else {
            return true
        }
        return try connection.hasRow(
            "SELECT 1 FROM blobs WHERE length = ?1 AND digest IS NOT NULL LIMIT 1", Int64(clamping: length))
    }

    /// Returns the number of a blob in the first column of a statement.
    ///
    /// - Throws: `corruptData` if it is out of range.
    static func number(_ statement: borrowing PreparedStatement) throws -> Int64 {
        let number = try statement.number(at: 0, "the stored number of a blob")
        guard number < numberLimit else {
            throw DatabaseError(.corruptData, "the stored number of a blob, \(number), exceeds \(numberLimit - 1)")
        }
        return number
    }

    /// Returns the length of a blob in bytes in a column of a statement.
    ///
    /// - Throws: `corruptData` if it is out of range.
    static func length(_ statement: borrowing PreparedStatement, at column: CInt) throws -> Int64 {
        let length = try statement.number(at: column, atLeast: 0, "the stored length of a blob")
        guard length <= lengthLimit else {
            throw DatabaseError(
                .corruptData, "the stored length of a blob, \(length) bytes, exceeds the greatest length, 1 TiB")
        }
        return length
    }

    /// Returns a chunk of a blob, by its index from 0; nil if there is none.
    func chunk(_ index: Int, of digest: BlobDigest) throws -> [UInt8]? {
        assert(index >= 0, "chunks are counted from 0")
        return try connection.first(
            "SELECT data FROM blob_chunks WHERE position = (SELECT number << 24 FROM blobs WHERE digest = ?1) + ?2",
            digest.bytes, index
        ) { $0.bytes(at: 0) }
    }

    /// A blob that is being written: its number, and the time of its last write. The time distinguishes the blob from
    /// another one that was given the number after garbage collection deleted this one.
    struct Unfinished {
        let number: Int64
        fileprivate(set) var touched: Int64
    }

    /// Inserts the row of a new blob without content and digest, and returns its number and the time.
    ///
    /// A blob that several transactions write has a `life`: once the process that writes it has ended, its content is
    /// deleted without waiting a day.
    func begin(_ life: BlobWriterLife?) throws -> Unfinished {
        let now = now
        try connection.run("INSERT INTO blobs (length, touched) VALUES (0, ?1)", now)
        let number = connection.lastInsertedRowID
        guard number > 0, number < Self.numberLimit else {
            throw DatabaseError(
                .corruptData, "no blob can be stored: the greatest stored number of a blob is out of range",
                hint: "recover the documents by a salvage")
        }
        if let life { try setValue(Self.writerName(number), life.text) }
        return Unfinished(number: number, touched: now)
    }

    /// Sets the time of an unfinished blob's last write to now. Called before more of its content is written.
    ///
    /// - Throws: `notFound` if garbage collection deleted the blob, because nothing was written to it for a day.
    func resume(_ blob: inout Unfinished) throws {
        let now = now
        let changed = try connection.run(
            "UPDATE blobs SET touched = ?3 WHERE number = ?1 AND touched = ?2 AND digest IS NULL", blob.number,
            blob.touched, now)
        guard changed == 1 else {
            throw DatabaseError(
                .notFound,
                "compaction deleted a blob that was being written, because nothing was written to it for a day",
                hint: "store the blob again")
        }
        blob.touched = now
    }

    func addChunk(_ bytes: [UInt8], index: Int, to number: Int64) throws {
        precondition(
            index >= 0 && index < 1 << Self.positionBits, "a further chunk would have the position of another blob's")
        assert(number > 0 && number < Self.numberLimit)
        assert(!bytes.isEmpty && bytes.count <= Self.chunkByteCount, "a chunk has up to 64 KiB")
        try connection.run(
            "INSERT INTO blob_chunks (position, data) VALUES (?1, ?2)", number << Self.positionBits + Int64(index),
            bytes)
    }

    /// Records that a blob is in use: even if no document refers to it, garbage collection doesn't delete it for a day.
    func touch(_ number: Int64) throws {
        try connection.run("UPDATE blobs SET touched = ?2, used = 0 WHERE number = ?1", number, now)
        try noteUnreferenced()
    }

    /// Assigns a digest and a length to a blob whose content is written completely. No other blob has the digest.
    func finish(_ number: Int64, digest: BlobDigest, length: UInt64) throws {
        assert(number > 0 && length <= UInt64(Self.lengthLimit))
        try connection.run(
            "UPDATE blobs SET digest = ?2, length = ?3, touched = ?4 WHERE number = ?1", number, digest.bytes,
            Int64(clamping: length), now)
        try removeValue(Self.writerName(number))
        try noteUnreferenced()
    }

    /// Makes a blob's content unreachable, and deletes it, or its beginning if it is large: garbage collection deletes
    /// the rest.
    func discard(_ number: Int64) throws {
        try condemn(number)
        _ = try erase(number, chunkLimit: Self.discardedChunkCount)
    }

    /// The number of chunks of discarded content that are deleted in the transaction that discards it.
    private static let discardedChunkCount = 256

    /// Takes a blob's digest from it, so that its content can no longer be found, and marks the blob as one to delete.
    func condemn(_ number: Int64) throws {
        try connection.run(
            "UPDATE blobs SET digest = NULL, length = 0, touched = 0, used = 0 WHERE number = ?1", number)
    }

    /// Deletes at most `chunkLimit` chunks of a blob without a digest, and its row once no chunk is left.
    ///
    /// - Returns: the number of deleted chunks, and whether the row was deleted too.
    func erase(_ number: Int64, chunkLimit: Int) throws -> (chunkCount: Int, isGone: Bool) {
        assert(chunkLimit > 0, "each call erases something")
        let count = try connection.run(
            """
            DELETE FROM blob_chunks WHERE position IN (
                SELECT position FROM blob_chunks WHERE position BETWEEN ?1 AND ?2 ORDER BY position DESC LIMIT ?3)
            """, number << Self.positionBits, (number &+ 1) << Self.positionBits &- 1, chunkLimit)
        assert(count <= chunkLimit)
        guard count < chunkLimit else { return (count, false) }
        guard try connection.run("DELETE FROM blobs WHERE number = ?1", number) == 1 else {
            throw DatabaseError(
                .corruptData, "the row of the blob \(number) is missing in \"blobs\", although it was just read")
        }
        try removeValue(Self.writerName(number))
        return (count, true)
    }

    /// Returns the digests of the blobs to which a document refers, according to the table of references. `number` is
    /// the number of the document's collection.
    func references(of id: String, inCollection number: Int) throws -> Set<BlobDigest> {
        let found = try connection.rows(
            "SELECT digest FROM blob_references WHERE collection = ?1 AND id = ?2", number, id
        ) { $0.bytes(at: 0).flatMap { BlobDigest(bytes: $0) } }
        return Set(found.compactMap { $0 })
    }
}

extension Transaction {
    /// The blob tables of the transaction's database, for changes.
    var blobs: BlobStore {
        changesBlobs = true
        return BlobStore(connection, time: database.configuration.time)
    }

    /// Stores the digests of the blobs to which a document refers, in place of those that were stored before.
    func setReferences(_ digests: [BlobDigest], of id: String, in collection: Collection) throws {
        let store = blobs
        let (old, new) = (try store.references(of: id, inCollection: collection.number), Set(digests))
        for digest in old.subtracting(new) {
            try connection.run(
                "DELETE FROM blob_references WHERE collection = ?1 AND id = ?2 AND digest = ?3", collection.number, id,
                digest.bytes)
            try store.noteRemovedReference(to: digest)
        }
        for digest in new.subtracting(old) {
            try connection.run(
                "INSERT INTO blob_references (collection, id, digest) VALUES (?1, ?2, ?3)", collection.number, id,
                digest.bytes)
        }
        for digest in new {
            try connection.run("UPDATE blobs SET used = 1 WHERE digest = ?1 AND NOT used", digest.bytes)
        }
    }

    /// Records that the references of a collection's documents are about to be removed: blobs that have no other
    /// reference are kept for a day from now.
    func noteRemovedReferences(ofCollection number: Int) throws {
        let store = blobs
        let touched = try connection.run(
            "UPDATE blobs SET touched = ?2 WHERE digest IN (SELECT digest FROM blob_references WHERE collection = ?1)",
            number, store.now)
        if touched > 0 { try store.noteUnreferenced() }
    }
}
