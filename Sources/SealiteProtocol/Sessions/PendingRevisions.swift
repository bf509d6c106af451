internal import SealiteRevisions

/// The received revisions that wait for attachments, and the attachments to fetch for them, in order.
///
/// If a revision is removed, the attachments that only it needs are removed too, so that only wanted attachments use
/// memory. The time of a step doesn't depend on the number of queued attachments.
struct PendingRevisions: Sendable {
    /// The memory for an attachment in the tables of this value, in bytes, in addition to the body that contains its
    /// digest.
    static let needByteCount = 320

    private struct Entry: Sendable {
        var item: RevisionReceiver.Item
        var missing: Set<BlobDigest>
        let needs: [AttachmentNeed]
        /// The index of the first element of `needs` that is still to be fetched.
        var next = 0

        var bytes: ReceivedByteCounts {
            let byteCount = item.bytes.queued + needs.count * PendingRevisions.needByteCount
            return ReceivedByteCounts(
                incomplete: byteCount, incompleteUnanswered: item.unansweredByteCount,
                uncounted: byteCount - item.unansweredByteCount)
        }
    }

    /// The waiting revisions by their keys, which are counted from 1 in the order of arrival.
    private var entries: [UInt64: Entry] = [:]
    /// The keys, in `entries`, of the revisions that lack an attachment, by the attachment's digest.
    private var waiting: [BlobDigest: [UInt64]] = [:]
    /// The keys of the revisions for which attachments are still to be fetched, oldest first.
    private var order = Queue<UInt64>()
    private var lastKey: UInt64 = 0

    /// The memory that the waiting revisions use, with their tables.
    private(set) var bytes = ReceivedByteCounts()

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the waiting revision with a key; nil if it was removed.
    func item(_ key: UInt64) -> RevisionReceiver.Item? { entries[key]?.item }

    /// Adds a revision that needs at least one attachment.
    mutating func add(_ item: RevisionReceiver.Item, _ needs: [AttachmentNeed]) {
        assert(!needs.isEmpty, "a revision waits for something")
        var missing: Set<BlobDigest> = []
        let needs = needs.filter { missing.insert($0.digest).inserted }
        lastKey += 1
        for need in needs { waiting[need.digest, default: []].append(lastKey) }
        let entry = Entry(item: item, missing: missing, needs: needs)
        assert(entries[lastKey] == nil && entry.missing.count == entry.needs.count, "each attachment is needed once")
        entries[lastKey] = entry
        order.append(lastKey)
        bytes += entry.bytes
    }

    /// Removes and returns the next attachment to fetch, with the key of the revision that needs it; nil if there is
    /// none.
    mutating func popFirst() -> (key: UInt64, need: AttachmentNeed)? {
        while let key = order.first {
            while let next = entries[key]?.next, let need = entries[key]?.needs[next...].first {
                entries[key]?.next = next + 1
                // The attachment may have been stored for another revision meanwhile.
                if entries[key]?.missing.contains(need.digest) == true { return (key, need) }
            }
            _ = order.popFirst()
        }
        return nil
    }

    /// Records that an attachment is stored, and removes and returns the revisions that lack no other, oldest first.
    mutating func stored(_ digest: BlobDigest) -> [RevisionReceiver.Item] {
        var complete: [RevisionReceiver.Item] = []
        for key in waiting.removeValue(forKey: digest) ?? [] {
            guard entries[key]?.missing.remove(digest) != nil else { continue }
            entries[key]?.item.revision.given.insert(digest)
            if entries[key]?.missing.isEmpty == true, let item = remove(key) { complete.append(item) }
        }
        return complete
    }

    /// Removes and returns a revision, with the attachments that it waits for; nil if it was removed already.
    mutating func remove(_ key: UInt64) -> RevisionReceiver.Item? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        bytes -= entry.bytes
        for digest in entry.missing {
            waiting[digest]?.removeAll { $0 == key }
            if waiting[digest]?.isEmpty == true { waiting[digest] = nil }
        }
        assert(
            !entries.isEmpty || waiting.isEmpty && bytes == ReceivedByteCounts(),
            "what nothing waits for uses no memory")
        return entry.item
    }
}
