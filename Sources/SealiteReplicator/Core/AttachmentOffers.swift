/// The attachments that the peer of a session may fetch: those of revisions that were sent to it in the session.
///
/// An attachment is named by its digest alone, and a database keeps the content of all its collections together. Without this
/// list a peer could read, or prove the existence of, whatever content it knows a digest of.
///
/// The list is bounded: where it would pass `limit` digests, the older half is forgotten. What is under way is never forgotten:
/// a session has at most 2 MiB of revisions unanswered (`SessionLimits.unansweredByteCount`), which name fewer digests.
struct AttachmentOffers: Sendable {
    /// A digest in 20 bytes, with the collection in which it was offered.
    private struct Key: Hashable {
        let collection: Int
        let first, second: UInt64
        let third: UInt32

        init?(_ digest: AttachmentDigest, _ collection: Int) {
            guard let bytes = digest.bytes else { return nil }
            self.collection = collection
            func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
            (first, second, third) = (number(0..<8), number(8..<16), UInt32(number(16..<20)))
        }
    }

    /// Most digests of each half.
    static let limit = 65_536
    /// How often a digest may be proven each time it is offered. A proof takes as long as a digest of the whole content, and
    /// no known peer asks for more than one for each name that a revision gives an attachment.
    static let proofLimit = 4

    /// The digests, with the proofs that may still be asked for.
    private var current: [Key: Int] = [:]
    private var older: [Key: Int] = [:]

    /// Notes the attachments of a revision that is sent.
    mutating func add(_ digests: [AttachmentDigest], collection: Int) {
        if !current.isEmpty, current.count + digests.count > Self.limit { (older, current) = (current, [:]) }
        for digest in digests {
            if let key = Key(digest, collection) { current[key] = Self.proofLimit }
        }
    }

    /// Whether the peer may fetch an attachment.
    func contains(_ digest: AttachmentDigest, collection: Int) -> Bool {
        guard let key = Key(digest, collection) else { return false }
        return current[key] != nil || older[key] != nil
    }

    /// Whether the peer may have an attachment proven, which counts.
    mutating func takeProof(_ digest: AttachmentDigest, collection: Int) -> Bool {
        guard let key = Key(digest, collection), let left = current[key] ?? older[key], left > 0 else { return false }
        if current[key] != nil { current[key] = left - 1 } else { older[key] = left - 1 }
        return true
    }
}

extension Effects {
    /// Notes the attachments of a revision that is sent: the peer may fetch them from now on.
    mutating func offer(_ digests: [AttachmentDigest], collection: Int) {
        if !digests.isEmpty { offers.add(digests, collection: collection) }
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
