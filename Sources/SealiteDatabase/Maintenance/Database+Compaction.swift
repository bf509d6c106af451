internal import SealiteBase

/// The progress of a compaction that is freeing blobs.
package struct CompactionProgress: Sendable {
    /// The number of blobs that were examined, at most `blobCount`.
    package let examinedCount: Int64
    /// The number of blobs at the beginning.
    package let blobCount: Int64
}

/// The result of freeing blobs.
package struct FreedBlobs: Sendable, Equatable {
    /// The number of deleted blobs, and of unfinished blobs that were deleted.
    package let count: Int
    /// The length of the deleted blobs in bytes, without unfinished ones.
    package let byteCount: Int64
    /// The number of blobs that no document refers to, and that this process has open.
    package let openCount: Int
}

extension Database {
    /// Removes the bases of deltas, and deletes the blobs that no document refers to, unless they may still wait for their
    /// first reference or this process has them open, and the content whose writer has ended. Each transaction deletes or
    /// rewrites at most 16 MiB and one document, so that other writers wait only briefly.
    ///
    /// - Parameter progress: called after each transaction; returning false ends the work, and what was freed by then
    ///   stays freed.
    /// - Returns: the numbers of freed blobs.
    /// - Throws: `cancelled` if `progress` returned false, and errors of the storage.
    @discardableResult
    package func freeBlobs(_ progress: (CompactionProgress) -> Bool) throws -> FreedBlobs {
        // Bases may keep blobs. But first what can be freed without writing a document: the disk may be full.
        let limit = configuration.time.unixMilliseconds - BlobStore.unreferencedLifetime
        let first = try freeBlobs(touchedBefore: limit, progress)
        let count = try reading { try BlobStore($0).extent().count }
        let removed = try removeBases {
            guard progress(CompactionProgress(examinedCount: count, blobCount: count)) else {
                throw Self.compactionCancelled
            }
        }
        guard removed > 0 else { return first }
        let second = try freeBlobs(touchedBefore: limit, progress)
        return FreedBlobs(
            count: first.count + second.count, byteCount: first.byteCount + second.byteCount,
            openCount: second.openCount)
    }

    /// Deletes blobs as ``freeBlobs(_:)`` does. `limit` is the time, in milliseconds since 1970, before which a blob
    /// that waits for its first reference must have been used last.
    private func freeBlobs(touchedBefore limit: Int64, _ progress: (CompactionProgress) -> Bool) throws -> FreedBlobs {
        let (count, last) = try reading { try BlobStore($0).extent() }
        var collection = BlobCollection(limit: limit, freesUsedAtOnce: true)
        while !collection.isDone {
            try writer.perform(self) { try collection.step($0.blobs, of: self) }
            let part = last > 0 ? Double(min(collection.cursor, last)) / Double(last) : 1
            let examined = collection.isDone ? count : Int64(part * Double(count))
            guard progress(CompactionProgress(examinedCount: examined, blobCount: count)) else {
                throw Self.compactionCancelled
            }
        }
        return FreedBlobs(
            count: collection.removedCount, byteCount: collection.removedByteCount, openCount: collection.openCount)
    }

    private static let compactionCancelled = DatabaseError(
        .cancelled, "the compaction was cancelled; what it had freed stays freed")

    /// Deletes the blobs that no document refers to any more, and those that still wait for a reference and were last
    /// used before `limit`, in milliseconds since 1970.
    ///
    /// - Returns: the number of deleted blobs.
    @discardableResult
    func collectBlobs(touchedBefore limit: Int64) throws -> Int {
        try freeBlobs(touchedBefore: limit) { _ in true }.count
    }
}
