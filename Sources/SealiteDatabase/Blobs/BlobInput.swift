internal import SealiteCrypto
internal import Synchronization
internal import SealiteRevisions

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
        if case .stream(let stream) = source, blob.state.withLock({ $0.digest }) == nil {
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
