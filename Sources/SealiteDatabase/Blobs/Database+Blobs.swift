internal import SealiteCrypto
internal import Synchronization
package import SealiteRevisions

extension Database {
    /// The size in bytes up to which a blob's content is stored in the same transaction as the document that contains
    /// the blob.
    private static let smallByteCount: UInt64 = 1 << 20

    /// Stores a blob's content without a document that refers to it. The content is deleted after a day if no document
    /// refers to it by then, and no `Blob` of it exists in this process.
    ///
    /// - Throws: `notFound` if the blob's content isn't known, and errors from reading and writing it.
    public func saveBlob(blob: Blob) throws {
        if let transaction = writer.current { return try transaction.store(blob) }
        try store(blob)
    }

    /// The asynchronous form of ``saveBlob(blob:)``, which doesn't block the calling task's thread. Cancelling the task
    /// ends it with `cancelled`, and nothing is stored.
    public func saveBlob(blob: Blob) async throws {
        try await WriteControl.offloading { try self.store(blob) }
    }

    /// Returns the stored blob that a blob's description names by its digest; nil if it isn't in the database.
    ///
    /// - Throws: `invalidParameter` if the dictionary doesn't describe a blob or has no valid digest.
    public func blob(properties: DictionaryObject) throws -> Blob? {
        guard Blob.isBlob(properties) else {
            throw DatabaseError(.invalidParameter, "the dictionary describes no blob: its @type is not \"blob\"")
        }
        guard let digest = properties.string(forKey: "digest").flatMap({ BlobDigest($0) }) else {
            throw DatabaseError(.invalidParameter, "the blob's description has no digest of the form sha1-…")
        }
        guard try reading({ try BlobStore($0).find(digest) }) != nil else { return nil }
        return Blob(stored: properties, database: self)
    }

    /// Returns whether the database stores the content of the blob with a digest.
    package func hasBlob(digest: BlobDigest) throws -> Bool {
        try reading { try BlobStore($0).find(digest) != nil }
    }

    /// Stores a blob's content, whose digest and length a peer has stated. A length of nil isn't checked.
    ///
    /// - Throws: `blobMismatch` if the content has another digest or length; then it isn't stored.
    package func saveBlob(_ blob: Blob, expecting digest: BlobDigest, length: UInt64?) throws {
        try writer.perform(self) { transaction in
            try transaction.savepoint {
                try transaction.store(blob)
                guard blob.digest == digest.description, length == nil || length == blob.length else {
                    let stated = length.map { ", or isn't \($0) bytes long as stated" } ?? ""
                    throw DatabaseError(
                        .blobMismatch,
                        "the content of a blob, \(blob.length) bytes, doesn't have the stated digest \(digest)\(stated)"
                    )
                }
            }
        }
    }

    /// Stores a blob's content in transactions of 4 MiB, so that a large blob neither has to fit in memory nor blocks
    /// other writers until it is stored. Not to be called in a transaction.
    func store(_ blob: Blob) throws {
        if try writer.perform(self, { try $0.reuse(blob) }) { return }
        var input = try BlobInput(blob)
        var output = try BlobWriter(spansTransactions: true)
        // Whoever stores a blob also deletes as much garbage as it writes, twice over: the file doesn't grow by what
        // writers that were killed have left.
        var hasGarbage = try nextBlobCollection() == 0
        do {
            while true {
                let piece = try input.next()
                if piece.isEmpty { break }
                try output.add(piece)
                if output.pendingByteCount >= BlobWriter.chunksPerTransaction * BlobStore.chunkByteCount {
                    try WriteControl.current?.requireNotStopped()
                    // Not stopped inside: after a rollback the writer wouldn't find its blob again to remove it.
                    try WriteControl.$current.withValue(nil) {
                        try writer.perform(self) { transaction in
                            if hasGarbage {
                                hasGarbage = try transaction.collectBlobs(
                                    chunkLimit: 2 * BlobWriter.chunksPerTransaction)
                            }
                            try output.flush(transaction.blobs, atEnd: false)
                        }
                    }
                }
            }
            try WriteControl.current?.requireNotStopped()
        } catch {
            var abandoned: BlobWriter? = consume output
            // Without the control, which would also stop the removal of the chunks that were written.
            WriteControl.$current.withValue(nil) {
                try? writer.perform(self) { try abandoned.take()?.abandon($0.blobs) }
            }
            throw error
        }
        var finished: BlobWriter? = consume output
        let result = try WriteControl.$current.withValue(nil) {
            try writer.perform(self) { transaction in
                guard let output = finished.take() else {
                    throw DatabaseError(.unexpected, "the transaction that finishes a blob ran twice")
                }
                return try output.finish(transaction.blobs)
            }
        }
        blob.didStore(in: self, digest: result.digest, length: result.length)
    }

    /// Stores those blobs of a document that are or may be larger than 1 MiB, in transactions of their own, before the
    /// document is saved. Other writers then wait only briefly. Does nothing inside a transaction.
    package func storeLargeBlobs(_ blobs: [Blob]) throws {
        guard writer.current == nil else { return }
        for blob in blobs where blob.isPending(for: self) && blob.mayBeLargerThan(Self.smallByteCount) {
            try store(blob)
        }
    }

    /// The asynchronous form of ``storeLargeBlobs(_:)``, which doesn't block the calling task's thread. Cancelling the
    /// task ends it with `cancelled`.
    package func storeLargeBlobs(_ blobs: [Blob]) async throws {
        guard !blobs.isEmpty else { return }
        try await WriteControl.offloading { try self.storeLargeBlobs(blobs) }
    }
}

extension Blob {
    func isPending(for database: Database) -> Bool {
        state.withLock { state in
            if case .none = state.source, state.digest == nil { return false }
            return state.database !== database
        }
    }

    func mayBeLargerThan(_ limit: UInt64) -> Bool {
        state.withLock { state in
            if case .stream = state.source, state.digest == nil { return true }
            return state.length > limit
        }
    }

    func didStore(in database: Database, digest: BlobDigest, length: UInt64) {
        let pin = BlobPin(digest, in: database)
        state.withLock { state in
            // A description without a digest has the content in it, which is stored beside the document now.
            if state.digest == nil { state.description = nil }
            state.digest = digest
            state.length = length
            state.database = database
            state.pin = pin
        }
    }
}

extension Transaction {
    /// Stores the content of a blob of a document in this transaction. Does nothing for a blob that was read from this
    /// database and whose content isn't stored, or for a description without a valid digest: the description is kept
    /// unchanged, because a peer may send the content later.
    func storeIfKnown(_ blob: Blob) throws {
        if case .none = blob.state.withLock({ $0.source }), !blob.isPending(for: database), try !reuse(blob) { return }
        try store(blob)
    }

    /// Stores a blob's content in this transaction.
    ///
    /// - Throws: `notFound` if there is no content.
    func store(_ blob: Blob) throws {
        if try reuse(blob) { return }
        try savepoint {
            var input = try BlobInput(blob)
            var output = try BlobWriter()
            let store = blobs
            while true {
                let piece = try input.next()
                if piece.isEmpty { break }
                try requireAlive()
                try output.add(piece)
                try output.flush(store, atEnd: false)
            }
            let (digest, length) = try output.finish(store)
            blob.didStore(in: database, digest: digest, length: length)
        }
    }

    /// Looks for a blob's content among the stored blobs. If it is there, `blob` refers to it from now on, and garbage
    /// collection doesn't delete it for a day.
    ///
    /// - Returns: true if the blob's content is stored.
    func reuse(_ blob: Blob) throws -> Bool {
        let state = blob.state.withLock { ($0.digest, $0.source) }
        var digest = state.0
        if digest == nil, case .bytes(let bytes) = state.1 { digest = BlobDigest(bytes: try SHA1.digest(of: bytes)) }
        guard let digest else { return false }
        let store = blobs
        guard let found = try store.find(digest) else { return false }
        try store.touch(found.number)
        blob.didStore(in: database, digest: digest, length: found.length)
        return true
    }
}
