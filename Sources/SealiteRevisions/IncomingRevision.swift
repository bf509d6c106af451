internal import SealiteBase

/// A revision that a peer has sent, to be inserted into the database.
package struct IncomingRevision: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The ancestors that the peer names in a revision tree, newest first; in a database with version vectors, the
    /// parts between the commas of the history text in the peer's message.
    package var history: [Version]
    package var isDeleted: Bool
    /// A Boolean value that says whether the revision is refused, instead of being stored as a conflict, if it
    /// conflicts with the local one.
    package var isConflictRefused: Bool
    /// A Boolean value that says whether the peer may have lost documents: then it needn't have had the revisions that it
    /// is recorded to have.
    package var isAfterLoss = false
    /// A Boolean value that says whether the newest tree id after a version is that of the revision itself, as a Sync
    /// Gateway names it, and not that of a revision before it.
    package var namesOwnTreeID = false
    /// The local sequence through which a peer that connected to this side had pulled the collection's changes before
    /// its session, as far as it has shown. A tombstone after this sequence is news to the peer.
    package var pulledThrough: UInt64 = 0
    /// The document's properties as JSON, as received, stubs of attachments included. An empty body represents an empty
    /// object. If `deltaSource` isn't nil, a delta to the properties.
    package var body: [UInt8]
    /// The version from which the body is a delta; nil if the body is whole.
    package var deltaSource: Version?
    /// The digests of the attachments whose content the peer has sent for this revision. The revision may refer to them
    /// even after the session's record of received attachments, which is bounded, has dropped them.
    package var given: Set<BlobDigest> = []

    package init(
        documentID: String, version: Version, history: [Version] = [], isDeleted: Bool = false,
        isConflictRefused: Bool = false, body: [UInt8]
    ) {
        self.documentID = documentID
        self.version = version
        self.history = history
        self.isDeleted = isDeleted
        self.isConflictRefused = isConflictRefused
        self.body = body
    }
}

/// The outcome of inserting a revision from a peer.
package enum RevisionOutcome: Sendable, Hashable {
    /// The revision became the document's current one.
    case inserted
    /// The revision became the document's current one, replacing a tombstone that it doesn't descend from.
    case resurrected
    /// The revision was stored already, or the document's version vector includes it.
    case known
    /// The revision was stored as a branch that conflicts with the current revision until the conflict is resolved.
    case conflict
    /// The revision conflicts and wasn't stored, because conflicts are refused.
    case conflictRefused
    /// The revision wasn't stored, because it came as a delta that couldn't be applied: from a version whose body isn't
    /// stored, or that the peer isn't known to have, or it doesn't fit that body.
    case deltaRefused(reason: String)
    /// The revision wasn't stored. It can be inserted after these attachments have been fetched from the peer.
    case needsAttachments([AttachmentNeed])
    /// The revision announced that access to the document was lost. `isPurged` says whether the document was purged.
    case accessRemoved(isPurged: Bool)
    /// The revision wasn't stored, because the filter refused it or it can't be stored at all. The status is an HTTP
    /// status.
    case refused(status: Int, reason: String)
    /// The revision wasn't stored, because the time of its version is too far ahead of this computer's clock. It can be
    /// stored later, or once the clock is right.
    case aheadOfClock(reason: String)
}

/// An attachment that a revision refers to and whose content the peer must send, because the database doesn't have it,
/// or has the content only in documents that the peer may not read.
package struct AttachmentNeed: Sendable, Hashable {
    package var digest: BlobDigest
    /// The length of the content in bytes; nil if the revision doesn't state it.
    package var byteCount: UInt64?
    /// A Boolean value that says whether the peer should compress the content when it sends it.
    package var isCompressible: Bool

    package init(digest: BlobDigest, byteCount: UInt64? = nil, isCompressible: Bool) {
        self.digest = digest
        self.byteCount = byteCount
        self.isCompressible = isCompressible
    }
}

/// The SHA-1 digest that identifies the content of a blob, or of an attachment, as the replication protocol calls it:
/// 20 bytes, written as `sha1-` and 28 characters of Base64.
public struct BlobDigest: Sendable, Hashable, CustomStringConvertible {
    /// The first 16 of the digest's 20 bytes as big-endian numbers; `third` has the last four. An array would need an
    /// allocation for each of very many digests.
    private let first, second: UInt64
    private let third: UInt32

    private static let byteCount = 20
    private static let prefix = "sha1-"

    /// Creates a digest from its bytes; nil unless there are exactly 20.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        (first, second, third) = (number(0..<8), number(8..<16), UInt32(number(16..<20)))
    }

    /// Creates a digest from its text, `sha1-` and 28 characters of Base64; nil if the text has another form.
    public init?(_ text: String) {
        guard text.utf8.count == 33, text.hasPrefix(Self.prefix), let bytes = Base64.decode(text.dropFirst(5)) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    /// The digest's 20 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: first >> shift)) }
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: second >> shift)) }
        for shift in stride(from: 24, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: third >> shift)) }
        return bytes
    }

    /// The digest's text: `sha1-` and 28 characters of Base64.
    public var description: String { Self.prefix + Base64.encode(bytes) }
}
