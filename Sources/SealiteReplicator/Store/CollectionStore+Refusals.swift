internal import SealiteProtocol
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteRevisions

// Documents that the remote refused.
extension CollectionStore {
    /// Returns the changes to propose again: those that the remote refused in earlier sessions, that are still current,
    /// and that the scan's document IDs and the push filter let through. The scan's limit applies before the filters.
    func refused(_ scan: ChangeScan) throws -> ChangePage {
        let wanted = scan.documentIDs.map { Set($0.map(ExactText.init)) }
        let changes = try view.refusedChanges(limit: scan.limit).filter { change in
            try wanted?.contains(change.key) ?? true && isSent(change, scan)
        }
        return ChangePage(changes: changes, scannedThrough: scan.after, isEnd: true)
    }

    /// Stores refusals. The result contains the greatest sequence of the refusals that weren't stored because of the
    /// limit; nil if all were stored.
    func record(_ refusals: [Refusal]) throws -> StoreResult {
        try selection?.refused(refusals)
        return .refusalsRecorded(overflow: try view.recordRefusals(refusals).map(\.sequence).max())
    }
}
