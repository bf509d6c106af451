internal import SealiteCrypto
public import FoundationEssentials
internal import SealiteRevisions
internal import Synchronization

extension Blob {
    /// Creates a blob of a file's content, which is read when the blob is stored, up to the length that the file has
    /// now.
    ///
    /// - Throws: `notFound` if there is no such file, or if it isn't a regular file.
    public convenience init(contentType: String?, fileURL: URL) throws {
        let path = fileURL.path
        guard let length = FileContent.length(path) else {
            throw DatabaseError(.notFound, "there is no file \"\(path)\" to make a blob of")
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
            var data = Data(capacity: Int(clamping: reader.length))
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
            throw DatabaseError(.invalidParameter, "the content of a stream's blob can be read only after it is stored")
        case .none:
            throw DatabaseError(
                .notFound, "the content of the blob \(state.digest?.description ?? "?") isn't in the database",
                hint: Remedy.fetchBlob.hint)
        }
    }
}
