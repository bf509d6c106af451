public import FoundationEssentials
internal import SealiteBase
internal import SealiteFile
internal import SealiteRevisions
internal import Synchronization

/// Reads a blob's content in pieces, from any position. The reader is a value: a copy continues at the position that
/// the original had when it was copied.
///
/// Memory holds no more than the requested bytes and one chunk of 64 KiB.
public struct BlobReader: Sendable {
    enum Content: Sendable {
        case stored(Database, BlobDigest)
        case bytes([UInt8])
        case file(FileContent)
    }

    private let content: Content
    private var chunk: (index: Int, bytes: [UInt8])?
    /// Keeps stored content from being deleted while it is read.
    private let pin: BlobPin?

    /// The content's length in bytes.
    public let length: UInt64
    /// The position at which the next read starts, in bytes from the start of the content.
    public private(set) var position: UInt64 = 0

    init(_ content: Content, length: UInt64) {
        self.content = content
        self.length = length
        if case .stored(let database, let digest) = content {
            pin = BlobPin(digest, in: database)
        } else {
            pin = nil
        }
    }

    /// Moves to a position; a position past the end moves to the end.
    public mutating func seek(to position: UInt64) {
        self.position = min(position, length)
    }

    /// Returns the next bytes: up to `count`, possibly fewer where a stored chunk of 64 KiB ends, and none at the end
    /// of the content.
    ///
    /// - Throws: `notFound` if the blob was removed meanwhile, `corruptData` if a part of the content is missing, and
    ///   errors of the storage.
    public mutating func read(upTo count: Int) throws -> [UInt8] {
        assert(position <= length, "a position is in the content or at its end")
        let wanted = Int(min(UInt64(max(count, 0)), length - position))
        guard wanted > 0 else { return [] }
        let piece: [UInt8]
        switch content {
        case .bytes(let bytes):
            piece = Array(bytes[Int(position)..<(Int(position) + wanted)])
        case .file(let file):
            piece = try file.read(upTo: wanted, at: position)
        case .stored(let database, let digest):
            let index = Int(position / UInt64(BlobStore.chunkByteCount))
            let start = Int(position % UInt64(BlobStore.chunkByteCount))
            let bytes = try load(index, digest, database)
            guard start < bytes.count else {
                throw DatabaseError(
                    .corruptData, "the stored content of the blob \(digest) is shorter than the blob's length")
            }
            piece = Array(bytes[start..<min(start + wanted, bytes.count)])
        }
        assert(piece.count <= wanted, "no more is read than was asked for")
        position += UInt64(piece.count)
        return piece
    }

    private mutating func load(_ index: Int, _ digest: BlobDigest, _ database: Database) throws -> [UInt8] {
        assert(
            index >= 0 && UInt64(index) * UInt64(BlobStore.chunkByteCount) < length, "the chunk is one of the content")
        if let chunk, chunk.index == index { return chunk.bytes }
        chunk = nil
        let bytes = try database.reading { connection -> [UInt8] in
            let store = BlobStore(connection)
            if index > 0, index % BlobWriter.chunksPerTransaction == 0 { try store.releasePages() }
            if let bytes = try store.chunk(index, of: digest) { return bytes }
            guard try store.find(digest) == nil else {
                throw DatabaseError(.corruptData, "a part of the stored content of the blob \(digest) is missing")
            }
            throw DatabaseError(.notFound, "the content of the blob \(digest) is no longer in the database")
        }
        chunk = (index, bytes)
        return bytes
    }
}

extension Blob {
    /// The content as an asynchronous sequence of pieces of at most 64 KiB, read as they are consumed without blocking
    /// the calling task's thread.
    public var chunks: BlobChunks { BlobChunks(blob: self) }

    /// The maximum number of bytes for which memory is reserved before a blob's content is read.
    private static let reservedByteCount: UInt64 = 16 << 20

    /// Creates a blob of a file's content, which is read when the blob is stored, up to the length that the file has
    /// now.
    ///
    /// - Throws: `notFound` if there is no such file, if it isn't a regular file, or if it can't be accessed.
    public convenience init(contentType: String?, fileURL: URL) throws {
        let path = fileURL.path
        guard let length = FileContent.length(path) else {
            throw DatabaseError(
                .notFound,
                "no blob can be made of \"\(path)\": the file doesn't exist, isn't a regular file, or can't be accessed"
            )
        }
        self.init(contentType, State(source: .file(path), length: length))
    }

    /// The whole content, read into memory.
    ///
    /// - Throws: `notFound` if the content isn't in the database, `invalidParameter` for a stream that isn't stored
    ///   yet, and errors from reading the file or the database.
    public var content: Data {
        get throws {
            var reader = try makeReader()
            // No more memory is reserved than a few chunks take: the stated length may be wrong.
            var data = Data(capacity: Int(min(reader.length, Self.reservedByteCount)))
            while true {
                let piece = try reader.read(upTo: BlobStore.chunkByteCount)
                if piece.isEmpty { return data }
                data.append(contentsOf: piece)
            }
        }
    }

    /// Returns a reader at the start of the content, which reads pieces from any position.
    ///
    /// - Throws: the errors of ``content``.
    public func makeReader() throws -> BlobReader {
        let state = state.withLock { $0 }
        if let database = state.database, let digest = state.digest,
            let length = try database.reading({ try BlobStore($0).find(digest)?.length })
        {
            return BlobReader(.stored(database, digest), length: length)
        }
        switch state.source {
        case .bytes(let bytes): return BlobReader(.bytes(bytes), length: UInt64(bytes.count))
        case .file(let path): return BlobReader(.file(try FileContent(path)), length: state.length)
        case .stream:
            throw DatabaseError(
                .invalidParameter,
                "the content of a blob that was made from a stream can't be read before the blob is stored",
                hint: "save the blob with saveBlob(blob:) of Database, or save a document that contains it")
        case .none:
            let blob = state.digest.map { "the blob \($0)" } ?? "a blob whose description has no valid digest"
            guard state.database != nil else {
                throw DatabaseError(
                    .notFound, "\(blob) was made from a description without a database, so its content isn't known",
                    hint: "blob(properties:) of Database returns the stored blob of a description")
            }
            throw DatabaseError(
                .notFound, "the content of \(blob) isn't in the database", hint: DatabaseRemedy.fetchBlob.hint)
        }
    }
}

/// A blob's content as an asynchronous sequence of pieces.
public struct BlobChunks: AsyncSequence, Sendable {
    /// A piece of the content.
    public typealias Element = [UInt8]
    let blob: Blob

    /// Returns an iterator that starts at the beginning of the content.
    public func makeAsyncIterator() -> Iterator { Iterator(blob: blob) }

    /// An iterator that reads a blob's content in pieces of at most 64 KiB.
    public struct Iterator: AsyncIteratorProtocol {
        let blob: Blob
        private var reader: BlobReader?

        init(blob: Blob) { self.blob = blob }

        /// Returns the next piece of the content; nil at the end.
        public mutating func next() async throws -> [UInt8]? {
            let (blob, started) = (blob, reader)
            let (piece, moved) = try await Offload.run {
                var reader = try started ?? blob.makeReader()
                let piece = try reader.read(upTo: BlobStore.chunkByteCount)
                return (piece, reader)
            }
            reader = moved
            return piece.isEmpty ? nil : piece
        }
    }
}
