internal import SealiteFile
internal import SealiteRevisions

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
