package import SealiteRevisions

/// The attachments whose content a peer has sent in a session, to which it may refer wherever else the content is stored.
///
/// The last `generationLimit * (generationCount - 1)` at least are known; then those that were given first are forgotten, a
/// generation at a time. What is forgotten is fetched again. A request to the database shares the generations with the session,
/// which copies no more than the youngest when it adds to that meanwhile.
package struct GivenAttachments: Sendable, Hashable {
    /// Most digests of a generation.
    static let generationLimit = 1_024
    static let generationCount = 16
    /// The bytes that a digest takes in a set that is half full.
    private static let entryByteCount = 2 * MemoryLayout<BlobDigest>.stride

    /// The oldest first.
    private var generations: [Set<BlobDigest>] = []

    /// Adds a digest.
    mutating func insert(_ digest: BlobDigest) {
        if generations.last.map({ $0.count >= Self.generationLimit }) ?? true {
            if generations.count == Self.generationCount { generations.removeFirst() }
            generations.append([])
        }
        generations[generations.count - 1].insert(digest)
    }

    /// Returns whether the content was sent, as far as is known.
    package func contains(_ digest: BlobDigest) -> Bool {
        generations.contains { $0.contains(digest) }
    }

    /// The bytes that the digests take in memory.
    var heldByteCount: Int { generations.reduce(0) { $0 + $1.count * Self.entryByteCount } }
}
