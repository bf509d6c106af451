internal import Synchronization

/// A cache of the indexes of collections, as last read from the catalogue of indexes, so that a transaction doesn't
/// read the definitions again.
final class IndexKeepers: DatabasePart {
    private struct Known {
        let fingerprint: String
        let tables: [any IndexTable]
        let guards: [PathGuard]

        /// The observers of a collection's indexes. Guards precede other observers, so that no work is spent on a
        /// change that a guard refuses.
        var observers: [any RowObserver] {
            (guards.isEmpty ? [] : [PathGuardObserver(guards)]) + tables.map { $0.observer() }
        }
    }

    private let known = Mutex<[Int: Known]>([:])

    /// Returns the observers that maintain a collection's indexes.
    ///
    /// - Throws: `databaseTooNew` if the program can't maintain one of the indexes, `indexNotCurrent` if one must be
    ///   rebuilt.
    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) throws -> [any RowObserver] {
        guard let fingerprint = last.indexes else { return [] }
        if let found = known.withLock({ $0[collection.number] }), found.fingerprint == fingerprint {
            return found.observers
        }
        var tables: [any IndexTable] = []
        var guards: [PathGuard] = []
        for record in try IndexRecord.all(of: collection.number, in: transaction.connection) {
            guard let table = record.table(), record.isCurrent else { throw record.refusal(collection) }
            tables.append(table)
            if let keys = table as? KeyTable, let one = PathGuard(record, keys) { guards.append(one) }
        }
        let found = Known(fingerprint: fingerprint, tables: tables, guards: guards)
        known.withLock { $0[collection.number] = found }
        return found.observers
    }
}
