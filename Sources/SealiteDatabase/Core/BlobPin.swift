internal import SealiteRevisions
internal import Synchronization

/// Keeps the content of a blob from being deleted while a `Blob` or a reader of it exists in this process, even if no
/// document refers to the content any more.
///
/// The pins of all `Database` objects on one file count together. Other processes don't see them: they keep content for
/// a day after its last reference, unless a compaction is requested.
final class BlobPin: Sendable {
    private struct PinnedContent: Hashable {
        let file: FileIdentity?
        let digest: BlobDigest
    }

    private static let counts = Mutex<[PinnedContent: Int]>([:])
    private let content: PinnedContent

    /// Pins the content with a digest in the file of a database.
    init(_ digest: BlobDigest, in database: Database) {
        content = PinnedContent(file: database.file.identity, digest: digest)
        Self.counts.withLock { $0[content, default: 0] += 1 }
    }

    deinit {
        Self.counts.withLock { counts in
            let count = counts[content, default: 0]
            counts[content] = count > 1 ? count - 1 : nil
        }
    }

    /// Returns whether the content with a digest is pinned in the file of a database.
    static func isPinned(_ digest: BlobDigest, in database: Database) -> Bool {
        let content = PinnedContent(file: database.file.identity, digest: digest)
        return counts.withLock { $0[content] != nil }
    }
}
