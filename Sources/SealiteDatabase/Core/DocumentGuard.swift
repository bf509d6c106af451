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

/// A document that is about to be saved, as a check of a guard receives it.
package struct DocumentSave {
    /// The document's id.
    package let id: String
    /// The collection of the document.
    package let collection: Collection
    /// The new body in JSONB. A check that replaces it must set valid JSONB that isn't nested deeper than a document
    /// may be.
    package var body: [UInt8]
    let transaction: Transaction
}

/// A guard's check for one collection's documents in one transaction, called on the transaction's thread.
package protocol DocumentSaveCheck {
    /// Checks a document that is about to be saved, and may replace its body.
    ///
    /// - Throws: the reason for which the document isn't saved: an error of the guard, which the caller of the save
    ///   gets. Then nothing is changed.
    func check(_ save: inout DocumentSave) throws

    /// Informs the check about a save that can't be refused: the document is an application's resolution of a conflict,
    /// and sync can't continue without it. The check can record that the document breaks a rule.
    func note(_ save: DocumentSave)
}

/// An error of a guard about the content of a document.
package protocol DocumentRefusal: Error {
    /// A sentence that names the properties and the rules that these violate, never values.
    var refusal: String { get }
}
