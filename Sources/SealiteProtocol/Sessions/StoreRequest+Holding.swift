internal import SealiteRevisions

extension StoreRequest {
    /// The memory that the request uses while it waits for the database, as far as a peer determines it, in bytes.
    ///
    /// Revisions to insert and the record of attachments that the peer has sent don't count, because their session
    /// counts them. Data of the application, such as refusals, isn't determined by a peer.
    package var heldByteCount: Int {
        let overhead = 256
        switch self {
        case .savePeerCheckpoint(let id, let revision, let body):
            return overhead + id.utf8.count + revision.utf8.count + body.count
        case .loadPeerCheckpoint(let id): return overhead + id.utf8.count
        case .decide(let rows, _):
            return rows.reduce(overhead) { sum, row in
                sum + MemoryLayout<ProposeChangesRequest.Row>.stride + row.documentID.utf8.count
                    + row.version.textByteCount + (row.serverVersion?.textByteCount ?? 0)
            }
        case .compare(let rows), .removeAccess(let rows):
            return rows.reduce(overhead) { sum, row in
                sum + MemoryLayout<ChangesRequest.Row>.stride + row.documentID.utf8.count
                    + row.version.textByteCount
            }
        case .scan(let scan), .loadRefused(let scan):
            return scan.documentIDs?.reduce(overhead) { $0 + MemoryLayout<String>.stride + $1.utf8.count } ?? overhead
        case .loadRevisions(let queries):
            return queries.reduce(overhead) { sum, query in
                sum + MemoryLayout<RevisionQuery>.stride + query.documentID.utf8.count
                    + query.version.textByteCount + query.knownAncestors.heldByteCount
            }
        case .reconsider(let change, let server):
            return overhead + change.documentID.utf8.count + (server?.textByteCount ?? 0)
        case .insert, .markSynced, .loadCheckpoint, .saveCheckpoint, .startNewSource, .recordRefusals, .forgetRefusals:
            return overhead
        }
    }
}
