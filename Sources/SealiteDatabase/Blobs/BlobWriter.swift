internal import GRDB
internal import SealiteCrypto
internal import SealiteRevisions

/// Writes one blob's content in chunks and computes its digest.
struct BlobWriter: ~Copyable {
    /// The number of chunks of 64 KiB that one transaction writes, 4 MiB in total. This is also the maximum amount of a
    /// stream's content that is held in memory.
    static let chunksPerTransaction = 64

    private var hasher: SHA1.Hasher?
    private var pending: [UInt8] = []
    private var blob: BlobStore.Unfinished?
    private var chunkCount = 0
    private var length: UInt64 = 0
    /// The life of a writer whose blob several transactions write, by which other processes see that it has ended.
    private let life: BlobWriterLife?

    /// Creates a writer of one blob. `spansTransactions` says whether transactions are committed before the blob is
    /// complete.
    init(spansTransactions: Bool = false) throws {
        hasher = try SHA1.Hasher()
        life = spansTransactions ? try BlobWriterLife() : nil
    }

    /// The number of bytes that were added and aren't written yet.
    var pendingByteCount: Int { pending.count }

    /// Adds bytes to the content and to its digest.
    ///
    /// - Throws: `unexpected` after the digest was taken.
    mutating func add(_ bytes: [UInt8]) throws {
        guard hasher != nil else {
            throw DatabaseError(.unexpected, "content was added to a blob after the blob's digest was computed")
        }
        try unsafe bytes.withUnsafeBytes { try unsafe hasher?.update($0) }
        length += UInt64(bytes.count)
        pending.append(contentsOf: bytes)
    }

    /// Writes the added bytes that fill whole chunks of 64 KiB and, if `atEnd` is true, the remaining bytes as the last
    /// chunk.
    mutating func flush(_ store: BlobStore, atEnd: Bool) throws {
        if chunkCount >= Self.chunksPerTransaction { try store.releasePages() }
        var unfinished = try blob ?? store.begin(atEnd ? nil : life)
        try store.resume(&unfinished)
        blob = unfinished
        var start = 0
        while pending.count - start >= BlobStore.chunkByteCount || (atEnd && start < pending.count) {
            let end = min(start + BlobStore.chunkByteCount, pending.count)
            guard chunkCount < 1 << 24 else {
                throw DatabaseError(.invalidParameter, "the content of a blob can have at most 1 TiB")
            }
            try store.addChunk(Array(pending[start..<end]), index: chunkCount, to: unfinished.number)
            chunkCount += 1
            start = end
        }
        pending.removeSubrange(..<start)
        assert(pending.count < BlobStore.chunkByteCount, "whole chunks are written")
        assert(!atEnd || pending.isEmpty, "at the end all is written")
    }

    /// Writes the remaining bytes and stores the blob under the digest of its content.
    ///
    /// - Returns: the digest, and the content's length in bytes.
    consuming func finish(_ store: BlobStore) throws -> (digest: BlobDigest, length: UInt64) {
        let digest = try finishDigest()
        let length = length
        try finish(store, digest: digest)
        return (digest, length)
    }

    /// Returns the digest of everything that was added. Called once, after the last `add`.
    ///
    /// - Throws: `unexpected` for a second call, and `CryptoError`.
    mutating func finishDigest() throws -> BlobDigest {
        guard let bytes = try hasher.take()?.finalize(), let digest = BlobDigest(bytes: bytes) else {
            throw DatabaseError(.unexpected, "the digest of a blob could not be computed, or was computed before")
        }
        return digest
    }

    /// Writes the remaining bytes and stores the blob under the given digest.
    consuming func finish(_ store: BlobStore, digest: BlobDigest) throws {
        try flush(store, atEnd: true)
        guard let blob else { throw DatabaseError(.unexpected, "a blob was completed without having been begun") }
        assert(hasher == nil, "the digest is that of the whole content")
        assert(length <= UInt64(chunkCount) * UInt64(BlobStore.chunkByteCount), "the content is in its chunks")
        try store.finish(blob.number, digest: digest, length: length)
    }

    /// Discards the unfinished blob with the chunks that were written.
    consuming func abandon(_ store: BlobStore) throws {
        guard var unfinished = blob else { return }
        try store.resume(&unfinished)
        try store.discard(unfinished.number)
    }
}
