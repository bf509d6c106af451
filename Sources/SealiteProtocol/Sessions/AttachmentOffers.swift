package import SealiteRevisions

/// The attachments that the peer of a session may fetch: those of revisions that the session has sent to it.
///
/// An attachment is identified by its digest alone, and a database stores the content of all its collections together.
/// Without this list a peer could read, or prove the existence of, any content whose digest it knows.
///
/// The list has two halves with at most `limit` digests each, except that the attachments of one revision stay
/// together: if the newer half is full, the older one is removed and replaced by it. A session has about 2 MiB of
/// unanswered revisions at most (`SessionLimits.unansweredByteCount`). The attachments of a revision that the peer
/// hasn't answered yet are therefore removed only if these revisions consist of little but references to different
/// attachments.
struct AttachmentOffers: Sendable {
    private struct Key: Hashable {
        let collection: Int
        let digest: BlobDigest
    }

    /// The maximum number of digests in each half of the list.
    static let limit = 16_384
    /// The number of proofs that a session computes in addition to one for each reference that was sent. A proof takes
    /// as long as a digest of the whole content, and no known peer requests more than one for each reference in a
    /// revision.
    static let spareProofs = 4_096
    /// The approximate memory for a digest in the list, in bytes.
    private static let entryByteCount = 80

    private var current: Set<Key> = []
    private var older: Set<Key> = []
    /// The number of proofs that the peer may still request.
    private var proofsLeft = spareProofs

    /// The memory that the list uses, in bytes.
    var heldByteCount: Int { (current.count + older.count) * Self.entryByteCount }

    /// Records the attachments of a revision that is sent.
    ///
    /// - Parameters:
    ///   - references: the digests to which the revision refers, each as often as the revision contains it.
    ///   - collection: the collection in which it is sent.
    mutating func add(_ references: [BlobDigest], collection: Int) {
        proofsLeft += references.count
        let keys = Set(references.lazy.map { Key(collection: collection, digest: $0) })
        if !current.isEmpty, current.count + keys.count > Self.limit { (older, current) = (current, []) }
        current.formUnion(keys)
        assert(current.count <= max(Self.limit, keys.count), "only one revision exceeds the limit")
    }

    /// Returns whether the peer may fetch an attachment.
    func contains(_ digest: BlobDigest, collection: Int) -> Bool {
        let key = Key(collection: collection, digest: digest)
        return current.contains(key) || older.contains(key)
    }

    /// Returns whether the peer may request the proof that this side has an attachment. If so, subtracts one proof from
    /// `proofsLeft`.
    mutating func takeProof(_ digest: BlobDigest, collection: Int) -> Bool {
        guard proofsLeft > 0, contains(digest, collection: collection) else { return false }
        proofsLeft -= 1
        return true
    }
}

extension SessionActions {
    /// Records the attachments of a revision that is sent: the peer may fetch them from now on.
    mutating func offer(_ references: [BlobDigest], collection: Int) {
        if !references.isEmpty { offers.add(references, collection: collection) }
    }

    /// Replies to a request for an attachment with its content, or to a request for a proof with the proof, if the
    /// attachment was offered to the peer and, for a proof, the peer may request another one. Otherwise replies with
    /// HTTP 404, as for content that isn't stored, so that the reply reveals nothing about the database.
    ///
    /// - Throws: `missingProperty`, `badProperty`, `badCollection`.
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
    /// The reply to a request for an attachment that isn't stored, or that the peer may not have.
    static let noAttachment = BLIPErrorReply(code: 404, message: "no such attachment")
}

/// The result of fetching an attachment from the peer.
package enum AttachmentResult: Sendable, Hashable {
    /// The attachment is stored in the database.
    case stored
    /// The peer answered the request for the attachment with this error.
    case refused(BLIPErrorReply)
    /// The received content doesn't match the requested digest or the announced length.
    case corrupt
    /// The database couldn't store the attachment.
    case failed(StoreFailure)
}

/// The attachments whose content a peer has sent in a session. Its documents may refer to them, even if their content
/// is stored for documents that the peer may not read.
///
/// The digests are in sets, the generations. At least the last `generationLimit * (generationCount - 1)` digests are
/// known; the oldest are forgotten, a generation at a time, and their content is fetched again if necessary. A request
/// to the database shares the generations with the session, which copies at most the newest one when it adds to it
/// meanwhile.
package struct GivenAttachments: Sendable, Hashable {
    /// The maximum number of digests in a generation.
    static let generationLimit = 1_024
    static let generationCount = 16
    /// The memory for a digest in a half-full set, in bytes.
    private static let entryByteCount = 2 * MemoryLayout<BlobDigest>.stride

    /// The generations, oldest first.
    private var generations: [Set<BlobDigest>] = []

    /// Adds the digest of an attachment whose content the peer has sent.
    mutating func insert(_ digest: BlobDigest) {
        if generations.last.map({ $0.count >= Self.generationLimit }) ?? true {
            if generations.count == Self.generationCount { generations.removeFirst() }
            generations.append([])
        }
        generations[generations.count - 1].insert(digest)
        assert(generations.count <= Self.generationCount)
    }

    /// Returns whether the content with a digest is known to have been sent by the peer.
    package func contains(_ digest: BlobDigest) -> Bool {
        generations.contains { $0.contains(digest) }
    }

    /// The memory that the digests use, in bytes.
    var heldByteCount: Int { generations.reduce(0) { $0 + $1.count * Self.entryByteCount } }
}
