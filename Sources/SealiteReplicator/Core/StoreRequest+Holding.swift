extension StoreRequest {
    /// The bytes that the request holds in memory while it waits for the database, as a peer decides them.
    ///
    /// Revisions to insert count nothing here: they are counted until they are answered.
    var heldByteCount: Int {
        let overhead = 256
        switch self {
        case .savePeerCheckpoint(let id, let revision, let body):
            return overhead + id.utf8.count + revision.utf8.count + body.count
        case .loadPeerCheckpoint(let id): return overhead + id.utf8.count
        case .decide(let rows):
            return rows.reduce(overhead) { sum, row in
                sum + MemoryLayout<ProposeChangesRequest.Row>.stride + row.documentID.utf8.count
                    + row.revisionID.text.utf8.count + (row.serverRevisionID?.text.utf8.count ?? 0)
            }
        case .compare(let rows), .removeAccess(let rows):
            return rows.reduce(overhead) { sum, row in
                sum + MemoryLayout<ChangesRequest.Row>.stride + row.documentID.utf8.count
                    + row.revisionID.text.utf8.count
            }
        case .scan(let scan):
            return (scan.documentIDs ?? []).reduce(overhead) { $0 + $1.utf8.count + 16 }
        case .loadRevisions(let queries):
            return queries.reduce(overhead) { sum, query in
                query.knownAncestors.reduce(sum + MemoryLayout<RevisionQuery>.stride + query.documentID.utf8.count) {
                    $0 + MemoryLayout<WireRevisionID>.stride + $1.text.utf8.count
                }
            }
        default: return overhead
        }
    }
}
