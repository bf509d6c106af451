extension Collection {
    /// Returns the two sides of a document's conflict, the local current revision and the remote's; either may be a
    /// tombstone. Nil if the document has no conflict.
    package func conflict(id: String) throws -> (local: Document, remote: Document)? {
        guard let record = try database.reading({ try self.revisionRecord(id, $0) }),
            let index = record.tree.conflicts.first
        else { return nil }
        let node = record.tree.nodes[index]
        let local = Document(
            id: id, collection: self, sequence: record.sequence, flags: record.flags,
            revision: record.tree.current.id, body: record.body ?? Document.emptyBody)
        let remote = Document(
            id: id, collection: self, sequence: record.sequence, flags: node.flags.contains(.deleted) ? .deleted : [],
            revision: node.id, body: node.body ?? Document.emptyBody)
        return (local, remote)
    }

    /// Returns the ids and sequences of at most `limit` documents with a conflict that waits for resolution, and whose
    /// sequence is greater than `sequence`, in the order of their sequences.
    package func conflictedDocuments(after sequence: UInt64, limit: Int) throws -> [(id: String, sequence: UInt64)] {
        try database.reading { connection in
            let statement = try PreparedStatement(
                connection,
                "SELECT id, sequence FROM \(self.sql.table) WHERE flags & 2 AND sequence > ?1 ORDER BY sequence LIMIT ?2"
            )
            statement.bind(Int64(clamping: sequence), at: 1)
            statement.bind(Int64(limit), at: 2)
            var found: [(id: String, sequence: UInt64)] = []
            while try statement.step() {
                let next = UInt64(try statement.sequence(at: 1))
                guard next > found.last?.sequence ?? sequence else {
                    throw DatabaseError.disorder("sequences", in: self.sql.table)
                }
                found.append((try statement.documentID(at: 0), next))
            }
            return found
        }
    }
}
