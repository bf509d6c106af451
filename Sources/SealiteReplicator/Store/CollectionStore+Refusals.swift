internal import SealiteProtocol
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteRevisions

// Documents that the remote refused.
extension CollectionStore {
    /// The changes that the remote refused earlier and that a scan would send.
    func refused(_ scan: ChangeScan) throws -> ChangePage {
        let wanted = scan.documentIDs.map { Set($0.map(ExactText.init)) }
        let changes = try view.refusedChanges(limit: scan.limit).filter { change in
            try wanted?.contains(change.key) ?? true && isSent(change, scan)
        }
        return ChangePage(changes: changes, scannedThrough: scan.after, isEnd: true)
    }

    /// Remembers refusals; one that passes the limit is named by its sequence.
    func record(_ refusals: [Refusal]) throws -> StoreResult {
        try selection?.refused(refusals)
        return .refusalsRecorded(overflow: try view.recordRefusals(refusals).map(\.sequence).max())
    }
}
