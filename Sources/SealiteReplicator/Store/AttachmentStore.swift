internal import SealiteProtocol
internal import SealiteCredentials
internal import SealiteCrypto
internal import SealiteDatabase
internal import SealiteRevisions

/// Reads and stores the contents of attachments in the document database. The methods block.
struct AttachmentStore: Sendable {
    let database: Database

    /// Returns a reader of the content with a digest; nil if it isn't stored. The session decides which content the
    /// peer may have (`AttachmentOffers`).
    func reader(_ digest: BlobDigest) throws -> BlobReader? { try database.blobReader(digest: digest) }

    /// Returns a receiver, which stores the content with a digest as it arrives in pieces. `byteCount` is its announced
    /// length; nil if none was announced.
    func receiver(_ digest: BlobDigest, byteCount: UInt64?) throws -> IncomingBlob {
        try IncomingBlob(database, digest: digest, length: byteCount)
    }

    /// Returns the proof that the requested content is stored, as text in UTF-8; nil if it isn't stored.
    func proof(_ request: ProveAttachmentRequest) throws -> [UInt8]? {
        guard var reader = try reader(request.digest) else { return nil }
        var hasher = try SHA1.Hasher()
        try unsafe request.hashedPrefix.withUnsafeBytes { try unsafe hasher.update($0) }
        while case let piece = try reader.read(upTo: 65_536), !piece.isEmpty {
            try unsafe piece.withUnsafeBytes { try unsafe hasher.update($0) }
        }
        return Array("sha1-".utf8) + Array(Base64.encode(try hasher.finalize()).utf8)
    }
}
