internal import GRDB
internal import Synchronization
package import SealiteRevisions

/// A blob's content that arrives in pieces and must have the digest and length that a peer stated. Content that never ends is
/// collected by the database's maintenance.
///
/// The methods block, and are called one after the other.
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

    /// Begins content of the stated length, or else of at most `unstatedLimit` bytes: it may never end.
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

/// The documents through which a peer may already read a blob.
package struct BlobReaders: Sendable {
    /// Collections of which the peer may read every document.
    package let collections: [Collection]
    /// A document that the peer may read by itself.
    package let document: (id: String, collection: Collection)?

    package init(collections: [Collection], document: (id: String, collection: Collection)?) {
        self.collections = collections
        self.document = document
    }
}

extension Database {
    /// The stored content with a digest, to read in pieces; nil when there is none.
    package func blobReader(digest: BlobDigest) throws -> BlobReader? {
        try reading { connection in
            try BlobStore(connection).find(digest).map { BlobReader(.stored(self, digest), length: $0.length) }
        }
    }

    /// The digests that have no content here, or only content that a peer may not read yet. The content of the others won't be
    /// collected for a day.
    ///
    /// - Parameters:
    ///   - digests: the digests, in the order of the result.
    ///   - readable: the documents that the peer may read; nil to look for content alone.
    ///   - isGiven: tells the digests whose content the peer itself has sent.
    /// - Returns: the missing ones of the digests.
    /// - Throws: what reading and writing throw.
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
            let store = BlobStore(transaction.connection)
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
        if let document = readable.document {
            let statement = try PreparedStatement(
                connection, "SELECT 1 FROM blob_references WHERE collection = ?2 AND id = ?3 AND digest = ?1")
            statement.bind(digest.bytes, at: 1)
            statement.bind(Int64(document.collection.number), at: 2)
            statement.bind(document.id, at: 3)
            if try statement.step() { return true }
        }
        return try readable.collections.contains { collection in
            let statement = try PreparedStatement(
                connection, "SELECT 1 FROM blob_references WHERE digest = ?1 AND collection = ?2 LIMIT 1")
            statement.bind(digest.bytes, at: 1)
            statement.bind(Int64(collection.number), at: 2)
            return try statement.step()
        }
    }
}
