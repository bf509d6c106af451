internal import SealiteRevisions

/// The attachments that the peer of a session may fetch: those of revisions that were sent to it in the session.
///
/// An attachment is named by its digest alone, and a database keeps the content of all its collections together. Without this
/// list a peer could read, or prove the existence of, whatever content it knows a digest of.
///
/// The list is bounded: where it would pass `limit` digests, the older half is forgotten. The attachments of one revision stay
/// together, however many they are. A session has at most 2 MiB of revisions unanswered (`SessionLimits.unansweredByteCount`), so
/// what peers fetch before they answer is only forgotten where these revisions consist of little but references to different
/// attachments.
struct AttachmentOffers: Sendable {
    private struct Key: Hashable {
        let collection: Int
        let digest: BlobDigest
    }

    /// Most digests of each half.
    static let limit = 16_384
    /// The number of proofs that a session gives beyond one for each reference that was sent. A proof takes as long as a digest
    /// of the whole content, and no known peer asks for more than one for each name that a revision gives an attachment.
    static let spareProofs = 4_096
    /// The bytes that a digest takes in memory, about.
    private static let entryByteCount = 80

    private var current: Set<Key> = []
    private var older: Set<Key> = []
    /// Proofs that the peer may still ask for.
    private var proofsLeft = spareProofs

    /// The bytes that the list takes in memory.
    var heldByteCount: Int { (current.count + older.count) * Self.entryByteCount }

    /// Notes the attachments of a revision that is sent.
    ///
    /// - Parameters:
    ///   - references: the digests to which it refers, each as often as it does.
    ///   - collection: the collection in which it is sent.
    mutating func add(_ references: [BlobDigest], collection: Int) {
        proofsLeft += references.count
        let keys = Set(references.lazy.map { Key(collection: collection, digest: $0) })
        if !current.isEmpty, current.count + keys.count > Self.limit { (older, current) = (current, []) }
        current.formUnion(keys)
    }

    /// Returns whether the peer may fetch an attachment.
    func contains(_ digest: BlobDigest, collection: Int) -> Bool {
        let key = Key(collection: collection, digest: digest)
        return current.contains(key) || older.contains(key)
    }

    /// Returns whether the peer may have an attachment proven, which counts.
    mutating func takeProof(_ digest: BlobDigest, collection: Int) -> Bool {
        guard proofsLeft > 0, contains(digest, collection: collection) else { return false }
        proofsLeft -= 1
        return true
    }
}

extension Effects {
    /// Notes the attachments of a revision that is sent: the peer may fetch them from now on.
    mutating func offer(_ references: [BlobDigest], collection: Int) {
        if !references.isEmpty { offers.add(references, collection: collection) }
    }

    /// Answers a request for an attachment or its proof: with it, if it was offered to the peer, else with the same HTTP 404 as
    /// for content that is not stored, so that the answer tells nothing about the database.
    mutating func serve(_ request: BLIPRequest, collection: Int) throws(MessageError) {
        if request.profile == Profile.getAttachment.rawValue {
            let message = try GetAttachmentRequest(request)
            guard offers.contains(message.digest, collection: collection) else {
                return refuse(request, .noAttachment)
            }
            perform(.serveAttachment(to: request.number, message, collection: collection))
        } else {
            let message = try ProveAttachmentRequest(request)
            guard offers.takeProof(message.digest, collection: collection) else {
                return refuse(request, .noAttachment)
            }
            perform(.proveAttachment(to: request.number, message, collection: collection))
        }
    }
}

extension BLIPErrorReply {
    /// The answer to a request for an attachment that is not stored, or that the peer may not have.
    static let noAttachment = BLIPErrorReply(code: 404, message: "no such attachment")
}
