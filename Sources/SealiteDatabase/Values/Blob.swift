public import FoundationEssentials
internal import SealiteBase
internal import Synchronization
internal import SealiteRevisions

/// Content of any size beside a document's JSON: an image, a recording, a file. The document holds a description of the
/// blob; the content is stored once in the database, under its SHA-1 digest.
///
/// A blob made from data, a file or a stream is stored when a document that contains it is saved, or by
/// `Database.saveBlob(blob:)`. The content of a stored blob is read on demand, as a whole or in pieces.
public final class Blob: Sendable, Hashable {
    /// The source of content that isn't stored yet.
    enum Source: Sendable {
        case bytes([UInt8])
        case file(String)
        /// A function that returns up to the requested number of bytes, and an empty array at the end; can be read
        /// once, or again after `rewinding` if there is one.
        case stream(@Sendable (Int) throws -> [UInt8], rewinding: Rewinding?)
        case none
    }

    /// The means of reading a stream a second time.
    struct Rewinding: Sendable {
        /// The length that the stream's content probably has, in bytes.
        let length: UInt64
        /// Moves to the beginning of the content.
        let rewind: @Sendable () throws -> Void
    }

    struct State {
        var source: Source
        var digest: BlobDigest?
        var length: UInt64
        /// The database that stores the content; nil if the content isn't stored.
        var database: Database?
        /// Keeps the stored content from being deleted while the blob exists; nil if the content isn't stored.
        var pin: BlobPin?
        /// The dictionary that describes the blob in a stored document, unknown members included; nil for a blob that
        /// has none yet.
        var description: DictionaryObject?
    }

    /// The media type of the content, such as `image/jpeg`; nil if it is unknown.
    public let contentType: String?
    let state: Mutex<State>

    init(_ contentType: String?, _ state: State) {
        self.contentType = contentType
        self.state = Mutex(state)
    }

    /// Creates a blob of data.
    public convenience init(contentType: String?, data: Data) {
        self.init(contentType: contentType, bytes: [UInt8](data))
    }

    /// Creates a blob of bytes.
    public convenience init(contentType: String?, bytes: [UInt8]) {
        self.init(contentType, State(source: .bytes(bytes), length: UInt64(bytes.count)))
    }

    /// Creates a blob of a stream's content, which is read once, when the blob is stored.
    ///
    /// - Parameters:
    ///   - contentType: the media type, nil for none.
    ///   - contentStream: returns up to the number of bytes that its argument requests: at least one byte before the
    ///     end of the content, an empty array at the end.
    public convenience init(contentType: String?, contentStream: @escaping @Sendable (Int) throws -> [UInt8]) {
        self.init(contentType, State(source: .stream(contentStream, rewinding: nil), length: 0))
    }

    /// Creates a blob of a stream that can be read twice, as a file can. If its content is stored already, it is read for
    /// its digest only.
    ///
    /// - Parameters:
    ///   - contentType: the media type, nil for none.
    ///   - length: the length in bytes that the content probably has.
    ///   - contentStream: as in ``init(contentType:contentStream:)``.
    ///   - rewind: moves the stream to its beginning.
    package convenience init(
        contentType: String?, length: UInt64, contentStream: @escaping @Sendable (Int) throws -> [UInt8],
        rewind: @escaping @Sendable () throws -> Void
    ) {
        let rewinding = Rewinding(length: length, rewind: rewind)
        self.init(contentType, State(source: .stream(contentStream, rewinding: rewinding), length: 0))
    }

    /// Creates a blob from the dictionary that describes it in a document. A `digest` refers to content that `database`
    /// stores; `data` without a digest is the content itself, in Base64.
    convenience init(stored description: DictionaryObject, database: Database?) {
        let digest = description.string(forKey: "digest").flatMap { BlobDigest($0) }
        var state = State(
            source: .none, digest: digest, length: UInt64(clamping: description.int64(forKey: "length")),
            database: database, description: description)
        if let digest, let database { state.pin = BlobPin(digest, in: database) }
        if digest == nil, let text = description.string(forKey: "data"), let bytes = Base64.decode(text) {
            state.source = .bytes(bytes)
            state.length = UInt64(bytes.count)
        }
        self.init(description.string(forKey: "content_type"), state)
    }

    /// Creates another object for the same content.
    convenience init(copying other: Blob) {
        self.init(other.contentType, other.state.withLock { $0 })
    }

    /// The content's length in bytes; 0 for a stream that isn't stored yet.
    public var length: UInt64 { state.withLock { $0.length } }

    /// The content's digest, `sha1-` and Base64; nil until the content is stored.
    public var digest: String? { state.withLock { $0.digest }?.description }

    /// The dictionary that describes the blob in a document, with `@type`, `length` and, if they are known,
    /// `content_type` and `digest`. A description that has the content itself, in `data`, is unchanged until the
    /// content is stored.
    public var properties: DictionaryObject {
        state.withLock { state in
            if let description = state.description { return description }
            var description: DictionaryObject = ["@type": "blob"]
            if let contentType { description["content_type"] = .string(contentType) }
            if let digest = state.digest { description["digest"] = .string(digest.description) }
            description["length"] = Value(state.length)
            return description
        }
    }

    /// Returns the dictionary that describes the blob, ``properties``, as JSON text.
    public func toJSON() throws -> String { try properties.toJSON() }

    /// Returns whether a dictionary describes a blob: its `@type` is `blob`.
    public static func isBlob(_ properties: DictionaryObject) -> Bool {
        properties.value(forKey: "@type") == .string("blob")
    }

    /// Appends the blobs in a value to `found`.
    package static func collect(_ value: Value, into found: inout [Blob]) {
        switch value {
        case .blob(let blob): found.append(blob)
        case .array(let array): for item in array { collect(item, into: &found) }
        case .dictionary(let dictionary): for entry in dictionary.entries { collect(entry.value, into: &found) }
        default: break
        }
    }

    /// Returns whether two blobs are one object, or have the same digest and the same media type. Two objects without a
    /// digest, whose content was never stored, are never equal.
    public static func == (left: Blob, right: Blob) -> Bool {
        if left === right { return true }
        guard left.contentType == right.contentType, let digest = left.digest else { return false }
        return digest == right.digest
    }

    /// Hashes the media type, which never changes.
    public func hash(into hasher: inout Hasher) { hasher.combine(contentType) }
}
