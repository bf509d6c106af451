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

    /// Stores a blob's content, whose digest and length somebody has stated. A length of nil isn't checked. Content that is
    /// stored already is read for its digest only. Not to be called in a transaction.
    ///
    /// - Throws: `blobMismatch` if the content has another digest or length; then it isn't stored.
    package func saveBlob(_ blob: Blob, expecting digest: BlobDigest, length: UInt64?) throws {
        let expected = (digest, length)
        // The pin and the time of the last use keep the content while the blob is read.
        let pin = BlobPin(digest, in: self)
        let isStored = try writer.perform(self) { try $0.touch(digest) }
        guard isStored else { return try store(blob, expecting: expected) }
        let content = try blob.readContent()
        try Self.check((content.digest, content.length), expected)
        guard try writer.perform(self, { try $0.reuse(blob, digest) }) else {
            throw DatabaseError(
                .notFound, "the content of the blob \(digest) was removed while it was compared",
                hint: "store the blob again")
        }
        withExtendedLifetime(pin) {}
    }

    /// Stores a blob's content, as ``saveBlob(_:expecting:length:)`` does; the digest has the form of `Blob.digest`.
    package func saveBlob(_ blob: Blob, expecting digest: String) throws {
        guard let digest = BlobDigest(digest) else {
            // An error of the source precedes that of the digest, as for any other digest.
            _ = try blob.readContent()
            throw DatabaseError(.blobMismatch, "the stated digest of a blob isn't of the form sha1-…")
        }
        try saveBlob(blob, expecting: digest, length: nil)
    }

    private static func check(
        _ found: (digest: BlobDigest, length: UInt64), _ expected: (digest: BlobDigest, length: UInt64?)?
    ) throws(DatabaseError) {
        guard let expected, found.digest != expected.digest || found.length != expected.length ?? found.length else {
            return
        }
        let stated = expected.length.map { ", or isn't \($0) bytes long as stated" } ?? ""
        throw DatabaseError(
            .blobMismatch,
            "the content of a blob, \(found.length) bytes, doesn't have the stated digest \(expected.digest)\(stated)")
    }

    /// Stores a blob's content in transactions of 4 MiB, so that a large blob neither has to fit in memory nor blocks
    /// other writers until it is stored. Content that is stored already, and that can be read again, is read for its
    /// digest only. Not to be called in a transaction.
    func store(_ blob: Blob, expecting expected: (digest: BlobDigest, length: UInt64?)? = nil) throws {
        if let digest = try blob.digest(soughtIn: self), digest == expected?.digest ?? digest,
            try writer.perform(self, { try $0.reuse(blob, digest) })
        {
            return
        }
        var input = try BlobInput(blob)
        var output = try BlobWriter(spansTransactions: true)
        // Whoever stores a blob also deletes as much garbage as it writes, twice over: the file doesn't grow by what
        // writers that were killed have left.
        var hasGarbage = try nextBlobCollection() == 0
        let digest: BlobDigest
        do {
            while true {
                let piece = try input.next()
                if piece.isEmpty { break }
                try output.add(piece)
                if output.isFull {
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
            digest = try output.finishDigest()
            try Self.check((digest, output.length), expected)
        } catch {
            var abandoned: BlobWriter? = consume output
            // Without the control, which would also stop the removal of the chunks that were written.
            WriteControl.$current.withValue(nil) {
                try? writer.perform(self) { try abandoned.take()?.abandon($0.blobs) }
            }
            throw error
        }
        let length = output.length
        var finished: BlobWriter? = consume output
        try WriteControl.$current.withValue(nil) {
            try writer.perform(self) { transaction in
                guard let output = finished.take() else {
                    throw DatabaseError(.unexpected, "the transaction that finishes a blob ran twice")
                }
                try output.finish(transaction.blobs, digest: digest)
            }
        }
        blob.didStore(in: self, digest: digest, length: length)
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

    /// Returns the digest by which the blob's content is looked for among that of a database: the blob's own, or that of
    /// content that can be read once more; nil if there is none, or if certainly no stored content has the length.
    func digest(soughtIn database: Database) throws -> BlobDigest? {
        let state = state.withLock { $0 }
        if let digest = state.digest { return digest }
        let length: UInt64
        switch state.source {
        case .bytes(let bytes): return BlobDigest(bytes: try SHA1.digest(of: bytes))
        case .file: length = state.length
        case .stream(_, let rewinding):
            guard let rewinding else { return nil }
            length = rewinding.length
        case .none: return nil
        }
        guard try database.reading({ try BlobStore($0).mayHave(length: length) }) else { return nil }
        let digest = try readContent().digest
        if case .stream(_, let rewinding?) = state.source { try rewinding.rewind() }
        return digest
    }

    /// Reads the whole content, and returns its digest and its length in bytes.
    func readContent() throws -> (digest: BlobDigest, length: UInt64) {
        var input = try BlobInput(self)
        var hasher = try SHA1.Hasher()
        var length: UInt64 = 0
        while true {
            let piece = try input.next()
            if piece.isEmpty { break }
            try WriteControl.current?.requireNotStopped()
            try unsafe piece.withUnsafeBytes { try unsafe hasher.update($0) }
            length += UInt64(piece.count)
        }
        guard let digest = BlobDigest(bytes: try hasher.finalize()) else {
            throw DatabaseError(.unexpected, "the digest of a blob could not be computed")
        }
        return (digest, length)
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
        if case .none = blob.state.withLock({ $0.source }), !blob.isPending(for: database) {
            guard let digest = blob.state.withLock({ $0.digest }), try reuse(blob, digest) else { return }
        }
        try store(blob)
    }

    /// Stores a blob's content in this transaction.
    ///
    /// - Throws: `notFound` if there is no content.
    func store(_ blob: Blob) throws {
        if let digest = try blob.digest(soughtIn: database), try reuse(blob, digest) { return }
        try savepoint {
            var input = try BlobInput(blob)
            var output = try BlobWriter()
            let store = blobs
            while true {
                let piece = try input.next()
                if piece.isEmpty { break }
                try requireAlive()
                try output.add(piece)
                if output.isFull { try output.flush(store, atEnd: false) }
            }
            let (digest, length) = try output.finish(store)
            blob.didStore(in: database, digest: digest, length: length)
        }
    }

    /// Looks for the content with a digest among the stored blobs. If it is there, `blob` refers to it from now on, and
    /// garbage collection doesn't delete it for a day.
    ///
    /// - Returns: true if the blob's content is stored.
    func reuse(_ blob: Blob, _ digest: BlobDigest) throws -> Bool {
        let store = blobs
        guard let found = try store.find(digest) else { return false }
        try store.touch(found.number)
        blob.didStore(in: database, digest: digest, length: found.length)
        return true
    }

    /// Keeps the stored content with a digest for a day from now; returns false if there is none.
    func touch(_ digest: BlobDigest) throws -> Bool {
        guard let found = try blobs.find(digest) else { return false }
        try blobs.touch(found.number)
        return true
    }
}
