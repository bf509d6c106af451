internal import SealiteProtocol
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteRevisions

// Documents that the remote or this side refused.
extension CollectionStore {
    /// Returns the changes to propose again: those that the remote refused in earlier sessions, that are still current,
    /// and that the scan's document IDs and the push filter let through. The scan's limit applies before the filters.
    func refused(_ scan: ChangeScan) throws -> ChangePage {
        let wanted = scan.documentIDs.map { Set($0.map(ExactText.init)) }
        let changes = try view.refusedChanges(limit: scan.limit).filter { change in
            try wanted?.contains(change.key) ?? true && isSent(change, scan)
        }
        assert(changes.count <= scan.limit)
        return ChangePage(changes: changes, scannedThrough: scan.after, isEnd: true)
    }

    /// Returns the decision on a change that the remote refused as a conflict. The document may have changed since the
    /// search that found the change, so its current revision is proposed only if a search would return it now.
    func reconsider(_ refused: LocalChange, serverVersion: Version?) throws -> RefusedChangeDecision {
        let decision = try view.reconsider(refused, serverVersion: serverVersion)
        guard case .propose(let change) = decision else { return decision }
        let scan = ChangeScan(
            after: 0, limit: 1, isForPush: true, reofferedThrough: change.isReoffered ? change.sequence : 0)
        return try isSent(change, scan) ? decision : .excluded
    }

    /// Stores refusals of one side. A selection stores itself which documents of the remote couldn't be stored.
    func record(_ refusals: [Refusal]) throws -> StoreResult {
        try selection?.refused(refusals)
        assert(refusals.allSatisfy { $0.side == refusals.first?.side }, "a request records the refusals of one side")
        guard selection == nil || refusals.first?.side == .remote else { return .refusalsRecorded(left: []) }
        return .refusalsRecorded(left: try view.recordRefusals(refusals))
    }
}
