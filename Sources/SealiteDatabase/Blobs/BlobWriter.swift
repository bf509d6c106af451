internal import Glibc
internal import SealiteCrypto
internal import SealiteRevisions
internal import Synchronization

/// Writes one blob's content in chunks and computes its digest.
struct BlobWriter: ~Copyable {
    /// The number of chunks of 64 KiB that one transaction writes, 4 MiB in total. This is also the maximum amount of a
    /// stream's content that is held in memory.
    static let chunksPerTransaction = 64

    private var hasher: SHA1.Hasher?
    private var pending: [UInt8] = []
    private var blob: BlobStore.Unfinished?
    private var chunkCount = 0
    /// The number of bytes that were added.
    private(set) var length: UInt64 = 0
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

    /// A Boolean value that says whether as many bytes wait as one transaction writes.
    var isFull: Bool { pending.count >= Self.chunksPerTransaction * BlobStore.chunkByteCount }

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

    /// Writes the remaining bytes and stores the blob under the given digest, unless the same content is stored already.
    consuming func finish(_ store: BlobStore, digest: BlobDigest) throws {
        if let existing = try store.find(digest) {
            try store.touch(existing.number)
            return try abandon(store)
        }
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

/// A file that is the source of a blob's content.
final class FileContent: Sendable {
    private let descriptor: CInt
    private let path: String

    /// Opens a file.
    ///
    /// - Throws: `notFound` if there is no such file, `permissionDenied`, `ioError`, and `invalidParameter` for a file
    ///   of a database that this process has open.
    init(_ path: String) throws(DatabaseError) {
        guard !OpenFile.isOpenDatabase(path) else {
            throw DatabaseError(
                .invalidParameter,
                "no blob can be made of \"\(path)\", because it is a file of a database that this process has open")
        }
        self.path = path
        unsafe descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            throw DatabaseError(
                errno: number, "the file \"\(path)\" can't be opened",
                otherwise: number == ENOENT || number == ENOTDIR ? .notFound : .ioError)
        }
    }

    deinit { close(descriptor) }

    /// Returns the length of a file in bytes; nil if there is no such file or it isn't a regular file.
    static func length(_ path: String) -> UInt64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return UInt64(clamping: status.st_size)
    }

    /// Returns `count` bytes from an offset; fewer, or none, where the file ends.
    func read(upTo count: Int, at offset: UInt64) throws(DatabaseError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).baseAddress, count - filled,
                    off_t(offset) + off_t(filled))
            }
            let number = errno
            if result < 0, number == EINTR { continue }
            guard result >= 0 else { throw DatabaseError(errno: number, "the file \"\(path)\" can't be read") }
            if result == 0 { break }
            filled += result
        }
        buffer.removeSubrange(filled...)
        return buffer
    }
}

/// A blob's content that is being stored, read piece by piece.
struct BlobInput {
    private enum Kind {
        case reader(BlobReader)
        case stream(@Sendable (Int) throws -> [UInt8])
    }

    private var kind: Kind

    /// Opens the content of a blob for reading from its beginning: the blob's stream if that wasn't stored yet,
    /// otherwise the content that a database, a file or an array of bytes has.
    ///
    /// - Throws: `notFound` if there is no content.
    init(_ blob: Blob) throws {
        let source = blob.state.withLock { $0.source }
        if case .stream(let stream, _) = source, blob.state.withLock({ $0.digest }) == nil {
            kind = .stream(stream)
        } else {
            kind = .reader(try blob.makeReader())
        }
    }

    /// Returns the next piece of the content; empty at the end.
    mutating func next() throws -> [UInt8] {
        switch kind {
        case .stream(let stream): return try stream(BlobStore.chunkByteCount)
        case .reader(var reader):
            let piece = try reader.read(upTo: BlobStore.chunkByteCount)
            kind = .reader(reader)
            return piece
        }
    }
}
