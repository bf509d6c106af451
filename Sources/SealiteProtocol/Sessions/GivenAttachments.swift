/// A digest of an attachment in 20 bytes, where very many are held.
struct AttachmentKey: Sendable, Hashable {
    private let first, second: UInt64
    private let third: UInt32

    /// The digest; nil where its text is not what its bytes are written as: no content has such a digest.
    init?(_ digest: AttachmentDigest) {
        guard let bytes = digest.bytes else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        (first, second, third) = (number(0..<8), number(8..<16), UInt32(number(16..<20)))
    }
}

/// The attachments whose content a peer has sent in a session: what it may refer to wherever else that is stored.
///
/// The last `generationLimit * (generationCount - 1)` at least are known; then those that were given first are forgotten, a
/// generation at a time. What is forgotten is fetched again. A request to the database shares the generations with the session,
/// which copies no more than the youngest when it adds to that meanwhile.
package struct GivenAttachments: Sendable, Hashable {
    /// Most digests of a generation.
    static let generationLimit = 1_024
    static let generationCount = 16
    /// The bytes that a digest takes in a set that is half full.
    private static let entryByteCount = 2 * MemoryLayout<AttachmentKey>.stride

    /// The oldest first.
    private var generations: [Set<AttachmentKey>] = []

    /// Adds a digest.
    mutating func insert(_ digest: AttachmentDigest) {
        guard let key = AttachmentKey(digest) else { return }
        if generations.last.map({ $0.count >= Self.generationLimit }) ?? true {
            if generations.count == Self.generationCount { generations.removeFirst() }
            generations.append([])
        }
        generations[generations.count - 1].insert(key)
    }

    /// Returns whether the content was sent, as far as is known.
    package func contains(_ digest: AttachmentDigest) -> Bool {
        guard !generations.isEmpty, let key = AttachmentKey(digest) else { return false }
        return generations.contains { $0.contains(key) }
    }

    /// The bytes that the digests take in memory.
    var heldByteCount: Int { generations.reduce(0) { $0 + $1.count * Self.entryByteCount } }
}
