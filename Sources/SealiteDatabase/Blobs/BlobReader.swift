internal import SealiteFile
internal import SealiteRevisions

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
}
