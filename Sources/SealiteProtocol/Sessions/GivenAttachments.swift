package import SealiteRevisions

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
