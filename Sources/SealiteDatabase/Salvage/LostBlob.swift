internal import SealiteFile
internal import SealiteMaintenance

/// A blob of a damaged file whose content isn't completely recovered.
public struct LostBlob: Sendable, Equatable, Encodable {
    /// The blob's digest, `sha1-…`.
    public let digest: String
    /// The size of the blob in bytes; nil if it isn't known.
    public let byteCount: Int64?
    /// The number of documents that refer to the blob.
    public let documentCount: Int
}
