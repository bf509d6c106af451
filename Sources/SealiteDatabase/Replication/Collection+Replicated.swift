// Records the collections that were ever replicated. Automatic changes of documents, such as a migration, skip these
// collections.
extension Collection {
    /// The name of the store, among the local values, in which each collection that was ever replicated has an entry,
    /// under the collection's number.
    static let replicationStore = "replicated"

    /// Records that a peer has seen the collection, or may have seen it.
    package func noteReplication() throws {
        let name = String(number)
        guard try database.localValue(store: Self.replicationStore, name: name) == nil else { return }
        try database.setLocalValue(store: Self.replicationStore, name: name, value: [])
    }

    /// Returns whether the collection was ever replicated, by this database or by a peer.
    ///
    /// Earlier versions kept no such record. In a database that has peers but no record, every collection counts as
    /// replicated.
    package func isReplicated() throws -> Bool {
        try database.reading { connection in
            let statement = try PreparedStatement(
                connection,
                """
                SELECT EXISTS (SELECT 1 FROM local_values WHERE store = ?1 AND name = ?2)
                    OR NOT EXISTS (SELECT 1 FROM local_values WHERE store = ?1)
                    AND (EXISTS (SELECT 1 FROM remotes)
                        OR EXISTS (SELECT 1 FROM local_values WHERE store IN ('checkpoints', 'peerCheckpoints')))
                """)
            statement.bind(Self.replicationStore, at: 1)
            statement.bind(String(self.number), at: 2)
            return try statement.step() && statement.int64(at: 0) != 0
        }
    }
}
