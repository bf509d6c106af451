internal import GRDB
internal import Synchronization

/// A blob's content that arrives in pieces and has to have a digest and a length, as a peer stated them. What was written of
/// one that never ends is collected by the maintenance of the database.
///
/// Its methods block; they are called one after the other.
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

    /// How much is held in memory before it is written.
    private static let flushedByteCount = 16 * BlobStore.chunkByteCount

    /// Content of a length that was stated, or else of at most `unstatedLimit` bytes: it may never end.
    package init(
        _ database: Database, digest: BlobDigest, length: UInt64?, unstatedLimit: UInt64 = 256 << 20
    ) throws {
        limit = length ?? unstatedLimit
        self.database = database
        self.digest = digest
        self.length = length
        state = Mutex(State(writer: try BlobWriter()))
    }

    /// Adds a piece.
    ///
    /// - Throws: `blobMismatch` when there is more than was stated or allowed, and what the storage throws.
    package func add(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            state.received += UInt64(bytes.count)
            if state.received > limit { throw mismatch }
            try state.writer?.add(bytes)
            guard let pending = state.writer?.pendingByteCount, pending >= Self.flushedByteCount else { return }
            try database.writer.perform(database) { transaction in
                try state.writer?.flush(BlobStore(transaction.connection), atEnd: false)
            }
        }
    }

    /// Stores the content.
    ///
    /// - Throws: `blobMismatch` when it is not what was stated; then it isn't stored.
    package func finish() throws {
        try state.withLock { state in
            guard var writer = state.writer.take() else { throw mismatch }
            let (actual, received) = (try writer.finishDigest(), state.received)
            guard actual == digest, length == nil || length == received else {
                var abandoned: BlobWriter? = consume writer
                try? database.writer.perform(database) { try abandoned.take()?.abandon(BlobStore($0.connection)) }
                throw mismatch
            }
            var finished: BlobWriter? = consume writer
            try database.writer.perform(database) { transaction in
                try finished.take()?.finish(BlobStore(transaction.connection), digest: actual)
            }
        }
    }

    private var mismatch: DatabaseError {
        DatabaseError(.blobMismatch, "the content of an attachment does not have the digest or length that was stated")
    }
}

extension Database {
    /// The stored content with a digest, to read in pieces; nil when there is none. Where collections are named, a document
    /// of one of them must refer to it.
    package func blobReader(digest: BlobDigest, referredToIn collections: [Collection]? = nil) throws -> BlobReader? {
        try reading { connection in
            guard let found = try BlobStore(connection).find(digest) else { return nil }
            if let collections {
                let isVisible = try collections.contains {
                    try BlobStore(connection).isReferred(digest, in: $0.number)
                }
                guard isVisible else { return nil }
            }
            return BlobReader(.stored(self, digest), length: found.length)
        }
    }

    /// Which of the digests have no content here. What is here won't be collected for a day.
    package func missingBlobs(_ digests: [BlobDigest]) throws -> [BlobDigest] {
        let isAnyHere = try reading { connection in
            try digests.contains { try BlobStore(connection).find($0) != nil }
        }
        guard isAnyHere else { return digests }
        return try writer.perform(self) { transaction in
            let store = BlobStore(transaction.connection)
            return try digests.filter { digest in
                guard let found = try store.find(digest) else { return true }
                try store.touch(found.number)
                return false
            }
        }
    }
}

extension BlobStore {
    /// Whether a document of a collection refers to a blob.
    func isReferred(_ digest: BlobDigest, in collection: Int) throws -> Bool {
        let statement = try PreparedStatement(
            connection, "SELECT 1 FROM blob_references WHERE digest = ?1 AND collection = ?2 LIMIT 1")
        statement.bind(digest.bytes, at: 1)
        statement.bind(Int64(collection), at: 2)
        return try statement.step()
    }
}
