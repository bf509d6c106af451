internal import SealiteProtocol
internal import SealiteCredentials
internal import SealiteCrypto
internal import SealiteDatabase
internal import SealiteRevisions

/// The contents of attachments in the document database. The methods block.
struct AttachmentStore: Sendable {
    let database: Database

    /// Returns the content with a digest; nil if it isn't stored. The session decides which content the peer may have
    /// (`AttachmentOffers`).
    func reader(_ digest: BlobDigest) throws -> BlobReader? { try database.blobReader(digest: digest) }

    /// Begins to store content that arrives.
    func receiver(_ digest: BlobDigest, byteCount: UInt64?) throws -> IncomingBlob {
        try IncomingBlob(database, digest: digest, length: byteCount)
    }

    /// Computes the proof that the content is stored; nil if it isn't.
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
