public import FoundationEssentials
internal import SealiteBase
internal import SealiteRevisions
internal import Synchronization

extension Blob {
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
