internal import SealiteRevisions

// The bases of deltas (`DeltaBases`), which change together with the body of a document.
extension Transaction {
    /// The size in bytes of a stored body below which a document travels whole: to make and apply a delta takes more
    /// processor time than to send such a body.
    static let minimumDeltaBodyByteCount = 2_000

    /// Returns the bases of a document whose body is replaced. The replaced revision becomes one if a remote has it or a
    /// peer may have been served it.
    ///
    /// - Parameters:
    ///   - bases: the bases so far.
    ///   - head: the row so far.
    ///   - oldBody: reads the body so far, nil for a tombstone without properties; called only if it is needed.
    ///   - new: the new revision and its body, which may be a tombstone's.
    ///   - remoteIDs: the revisions that remotes are known to have.
    ///   - collection: the document's collection.
    /// - Returns: the bases to store with the new body.
    /// - Throws: errors from reading.
    func bases(
        replacing bases: DeltaBases, of head: DocumentHead, oldBody: () throws -> [UInt8]?,
        by new: (id: RevisionID, body: [UInt8], isDeleted: Bool), remoteIDs: [RevisionID], in collection: Collection
    ) throws -> DeltaBases {
        guard database.configuration.deltaBaseShare > 0, !new.isDeleted, !head.flags.contains(.deleted),
            new.body.count >= Self.minimumDeltaBodyByteCount
        else { return DeltaBases() }
        let isServed = try head.sequence <= servedSequence(collection)
        let isWanted = isServed || remoteIDs.contains(head.revision)
        guard isWanted || !bases.isEmpty, let old = try oldBody() else { return DeltaBases() }
        if head.revision == new.id, old == new.body { return bases }
        var result = bases
        let isKept = isWanted && head.revision != new.id && old.count >= Self.minimumDeltaBodyByteCount
        result.replace(
            old, by: new.body, keeping: isKept ? DeltaBases.Replaced(id: head.revision, isServed: isServed) : nil
        ) { remoteIDs.contains($0.id) }
        return result
    }

    /// Counts the bytes that a document's tree with bases takes more than before; see `Database.trimBases`.
    func countBases(_ tree: [UInt8]?, after old: [UInt8]?) {
        guard tree?.first == DeltaBases.form else { return }
        addedBaseByteCount += max(0, (tree?.count ?? 0) - (old?.count ?? 0))
    }
}
