internal import GRDB
internal import Synchronization

/// The indexes of collections as they were last read from the catalogue, so that a transaction doesn't read definitions again.
final class IndexKeepers: Sendable {
    private struct Known {
        let fingerprint: String
        let tables: [any IndexTable]
        let guards: [PathGuard]

        /// The guards come first: what they refuse needn't be prepared for.
        var observers: [any RowObserver] {
            (guards.isEmpty ? [] : [PathGuardObserver(guards)]) + tables.map { $0.observer() }
        }
    }

    private let known = Mutex<[Int: Known]>([:])

    /// SQL for the fingerprint of a collection's part of the catalogue, NULL where it has no index. It has the definitions too: a
    /// number that was given in a transaction which was rolled back is given again.
    static func fingerprintSQL(ofCollection number: Int) -> String {
        """
        (SELECT group_concat(number || ' ' || name || ' ' || kind || ' ' || state || ' ' || versions || ' ' || definition)
            FROM indexes WHERE collection = \(number))
        """
    }

    /// Returns the observers that keep a collection's indexes.
    ///
    /// - Throws: `databaseTooNew` where the program can't keep one of them.
    func observers(
        of collection: Collection, fingerprint: String, _ connection: GRDB.Database
    ) throws -> [any RowObserver] {
        if let found = known.withLock({ $0[collection.number] }), found.fingerprint == fingerprint {
            return found.observers
        }
        var tables: [any IndexTable] = []
        var guards: [PathGuard] = []
        for record in try IndexRecord.all(of: collection.number, in: connection) {
            guard let table = record.table(), record.isCurrent else { throw record.refusal(collection) }
            tables.append(table)
            if let keys = table as? KeyTable, let one = PathGuard(record, keys) { guards.append(one) }
        }
        let found = Known(fingerprint: fingerprint, tables: tables, guards: guards)
        known.withLock { $0[collection.number] = found }
        return found.observers
    }
}
