internal import SealiteProtocol
internal import SealiteDatabase
internal import SealiteJSON

// Documents that the remote refused.
extension CollectionStore {
    /// The changes that the remote refused earlier and that a scan would send.
    func refused(_ scan: ChangeScan) throws -> ChangePage {
        let wanted = scan.documentIDs.map { Set($0.map(ExactText.init)) }
        let changes = try view.refusedChanges(limit: scan.limit).filter { change in
            try wanted?.contains(ExactText(change.id)) ?? true && isSent(change, scan)
        }
        return ChangePage(changes: changes.map(LocalChange.init), scannedThrough: scan.after, isEnd: true)
    }

    /// Remembers refusals; one that passes the limit is named by its sequence.
    func record(_ refusals: [Refusal]) throws -> StoreResult {
        let stored = refusals.compactMap { refusal in
            RevisionID(refusal.change.revisionID.text).map {
                StoredRefusal(
                    id: refusal.change.documentID, revision: $0, domain: refusal.domain, code: refusal.code,
                    reason: refusal.reason)
            }
        }
        try selection?.refused(stored)
        let left = Set(try view.recordRefusals(stored).map(ExactText.init))
        let overflow = refusals.map(\.change).filter { left.contains($0.key) }.map(\.sequence).max()
        return .refusalsRecorded(overflow: overflow)
    }
}
