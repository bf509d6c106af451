internal import Synchronization

/// The sequences of a database's collections up to which peers of this process may have been served the documents.
/// Thread-safe. Those of earlier processes are in the file (Documentation/DocumentFormat.md §3).
final class ServedSequences: Sendable {
    private let sequences = Mutex<[Int: Int64]>([:])

    /// Returns the sequence for the collection with a number; 0 if none was served.
    func sequence(_ collection: Int) -> Int64 { sequences.withLock { $0[collection] ?? 0 } }

    /// Records that a peer was served documents of the collection with a number, up to a sequence.
    func note(_ sequence: Int64, _ collection: Int) {
        sequences.withLock { $0[collection] = max($0[collection] ?? 0, sequence) }
    }
}

extension Collection {
    /// Stores the sequence up to which peers may have been served the collection, for later processes. Called in a
    /// transaction that writes anyway.
    package func storeServedSequence() throws {
        let name = String(number)
        let served = database.served.sequence(number)
        let stored = try database.localValue(store: FormatTables.servedStore, name: name)?.value ?? []
        guard served > Int64(clamping: UInt64(bigEndianBytes: stored) ?? 0) else { return }
        try database.setLocalValue(
            store: FormatTables.servedStore, name: name, value: UInt64(clamping: served).bigEndianBytes)
    }
}
