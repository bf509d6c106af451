package import SealiteRevisions
internal import Synchronization

/// The content of a blob that a peer sends in pieces, and that must have the announced digest and length. Compaction
/// deletes incomplete content to which nothing was added for a day.
///
/// The methods block, and aren't called concurrently.
package final class IncomingBlob: Sendable {
    private let database: Database
    private let digest: BlobDigest
    private let length: UInt64?
    private let limit: UInt64
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var writer: BlobWriter?
        var received: UInt64 = 0
    }

    /// The number of received bytes at which the bytes held in memory are written to the database.
    private static let flushedByteCount = 16 * BlobStore.chunkByteCount

    /// Starts receiving content of the stated length, or, without one, of at most `unstatedLimit` bytes, because it may
    /// never end.
    package init(_ database: Database, digest: BlobDigest, length: UInt64?, unstatedLimit: UInt64 = 256 << 20) throws {
        limit = length ?? unstatedLimit
        self.database = database
        self.digest = digest
        self.length = length
        state = Mutex(State(writer: try BlobWriter(spansTransactions: true)))
    }

    /// Adds the next piece of the content.
    ///
    /// - Throws: `blobMismatch` if the content is longer than stated or allowed, and errors of the storage.
    package func add(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            assert(state.writer != nil, "nothing follows the end of the content")
            state.received += UInt64(bytes.count)
            if state.received > limit { throw mismatch }
            try state.writer?.add(bytes)
            guard let pending = state.writer?.pendingByteCount, pending >= Self.flushedByteCount else { return }
            try database.writer.perform(database) { transaction in
                try state.writer?.flush(transaction.blobs, atEnd: false)
            }
        }
    }

    /// Ends the content, and stores it as a blob if it has the stated digest and length.
    ///
    /// - Throws: `blobMismatch` if the content doesn't have the stated digest or length; then it isn't stored.
    package func finish() throws {
        try state.withLock { state in
            guard var writer = state.writer.take() else { throw mismatch }
            let (actual, received) = (try writer.finishDigest(), state.received)
            guard actual == digest, length == nil || length == received else {
                var abandoned: BlobWriter? = consume writer
                try? database.writer.perform(database) { try abandoned.take()?.abandon($0.blobs) }
                throw mismatch
            }
            var finished: BlobWriter? = consume writer
            try database.writer.perform(database) { transaction in
                try finished.take()?.finish(transaction.blobs, digest: actual)
            }
        }
    }

    private var mismatch: DatabaseError {
        DatabaseError(
            .blobMismatch,
            "the received content of the blob \(digest) doesn't have this digest, or "
                + (length.map { "its stated length of \($0) bytes" }
                    ?? "exceeds \(limit) bytes, the limit without a stated length"))
    }
}

extension Database {
    /// Returns a reader of the stored content with a digest; nil if there is none.
    package func blobReader(digest: BlobDigest) throws -> BlobReader? {
        try reading { connection in
            try BlobStore(connection).find(digest).map { BlobReader(.stored(self, digest), length: $0.length) }
        }
    }

    /// Returns the digests whose content isn't stored, or is stored but not readable for a peer. The content of all
    /// other digests is protected from garbage collection for a day.
    ///
    /// - Parameters:
    ///   - digests: the digests to look for. The result has their order.
    ///   - readable: the documents that the peer may read; nil to check only whether content is stored.
    ///   - isGiven: returns whether the peer itself has sent the content of a digest.
    /// - Returns: the missing digests.
    /// - Throws: errors from reading and writing.
    package func missingBlobs(
        _ digests: [BlobDigest], readable: BlobReaders? = nil, isGiven: (BlobDigest) -> Bool = { _ in false }
    ) throws -> [BlobDigest] {
        func findReadable(_ digest: BlobDigest, _ store: BlobStore) throws -> Int64? {
            guard let found = try store.find(digest) else { return nil }
            guard let readable, !isGiven(digest) else { return found.number }
            return try store.isReferred(digest, by: readable) ? found.number : nil
        }
        let isAnyHere = try reading { connection in
            try digests.contains { try findReadable($0, BlobStore(connection)) != nil }
        }
        guard isAnyHere else { return digests }
        return try writer.perform(self) { transaction in
            let store = transaction.blobs
            return try digests.filter { digest in
                guard let number = try findReadable(digest, store) else { return true }
                try store.touch(number)
                return false
            }
        }
    }
}

extension BlobStore {
    /// Returns whether a document that a peer may read refers to a blob.
    func isReferred(_ digest: BlobDigest, by readable: BlobReaders) throws -> Bool {
        if let document = readable.document,
            try connection.hasRow(
                "SELECT 1 FROM blob_references WHERE collection = ?2 AND id = ?3 AND digest = ?1", digest.bytes,
                document.collection.number, document.id)
        {
            return true
        }
        return try readable.collections.contains { collection in
            try connection.hasRow(
                "SELECT 1 FROM blob_references WHERE digest = ?1 AND collection = ?2 LIMIT 1", digest.bytes,
                collection.number)
        }
    }
}

/// The documents that a peer may read. The peer may also read the blobs to which these documents refer.
package struct BlobReaders: Sendable {
    /// The collections in which the peer may read every document.
    package let collections: [Collection]
    /// A document that the peer may read in addition to those of the collections; nil if there is none.
    package let document: (id: String, collection: Collection)?

    package init(collections: [Collection], document: (id: String, collection: Collection)?) {
        self.collections = collections
        self.document = document
    }
}
