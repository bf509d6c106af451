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
    package func isReplicated() throws -> Bool {
        try database.localValue(store: Self.replicationStore, name: String(number)) != nil
    }
}
