internal import GRDB
internal import Synchronization

/// The indexes of collections as last read from the catalogue, so that a transaction doesn't read the definitions
/// again.
final class IndexKeepers: Sendable {
    private struct Known {
        let fingerprint: String
        let tables: [any IndexTable]
        let guards: [PathGuard]

        /// The observers. Guards come first, so that no work is spent on a change that they refuse.
        var observers: [any RowObserver] {
            (guards.isEmpty ? [] : [PathGuardObserver(guards)]) + tables.map { $0.observer() }
        }
    }

    private let known = Mutex<[Int: Known]>([:])

    /// Returns SQL for the fingerprint of a collection's part of the catalogue, NULL if it has no index. The
    /// fingerprint includes the definitions, because a number that a rolled-back transaction assigned is assigned
    /// again.
    static func fingerprintSQL(ofCollection number: Int) -> String {
        """
        (SELECT group_concat(number || ' ' || name || ' ' || kind || ' ' || state || ' ' || versions || ' ' || definition)
            FROM indexes WHERE collection = \(number))
        """
    }

    /// Returns the observers that maintain a collection's indexes.
    ///
    /// - Throws: `databaseTooNew` if the program can't maintain one of the indexes.
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
