internal import Synchronization

/// A guard of a higher layer, which checks documents that are saved locally before a row changes:
/// ``Database/install(_:named:)``.
///
/// Every API of the database calls the guard, since all of them save through the same method: collections, queries,
/// imports, higher layers. Documents from peers, deletions and purges aren't checked. The resolution of a conflict is
/// shown to the guard and never refused.
package protocol DocumentGuard: Sendable {
    /// Returns the check for a collection's documents in a transaction that is about to change one of them; nil if they
    /// need none.
    ///
    /// The method is called on the transaction's thread, where reads of the database include the transaction's changes.
    /// It is called once for each collection and transaction, again after `WriteTransaction.reloadGuards()`, and again
    /// after the rollback of a nested transaction that was the first to use the collection.
    func check(of collection: Collection) throws -> (any DocumentSaveCheck)?
}

extension Database {
    /// The guards that are installed at present, in the order in which they are called.
    var currentGuards: [any DocumentGuard] { guards.withLock { $0.map(\.guardian) } }

    /// Installs a guard, replacing one with the same name. Later transactions call it.
    package func install(_ guardian: some DocumentGuard, named name: String) {
        guards.withLock { guards in
            guards.removeAll { $0.name == name }
            guards.append((name, guardian))
        }
    }

    /// Removes the guard with a name, if there is one.
    package func removeGuard(named name: String) {
        guards.withLock { $0.removeAll { $0.name == name } }
    }
}
