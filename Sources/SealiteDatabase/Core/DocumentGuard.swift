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
    /// The method is called on the transaction's thread, where reads of the database see the transaction: once for each
    /// collection and transaction, again after ``WriteTransaction/reloadGuards()``, and again after the rollback of a
    /// nested transaction that was the first to use the collection.
    func check(of collection: Collection) throws -> (any DocumentSaveCheck)?
}

/// The check for one collection's documents in one transaction, used by its thread.
package protocol DocumentSaveCheck {
    /// Checks a document that is about to be saved, and may replace its body.
    ///
    /// - Throws: the reason for which the document isn't saved: an error of the guard, which the caller of the save
    ///   gets. Then nothing is changed.
    func check(_ save: inout DocumentSave) throws

    /// Inspects a document that is saved unconditionally, because an application made it to resolve a conflict and sync
    /// can't continue without it.
    func note(_ save: DocumentSave)
}

/// An error of a guard about the content of a document.
package protocol DocumentRefusal: Error {
    /// A sentence that names properties and the rules that they break, never values.
    var refusal: String { get }
}

/// A document that is about to be saved.
package struct DocumentSave {
    /// The document's id.
    package let id: String
    /// The collection.
    package let collection: Collection
    /// The new body, JSONB. A check that replaces it must respect the limits of a body.
    package var body: [UInt8]
    private let transaction: Transaction

    init(_ change: Transaction.Change, in collection: Collection, _ transaction: Transaction) {
        self.init(id: change.id, body: change.body, in: collection, transaction)
    }

    init(id: String, body: [UInt8], in collection: Collection, _ transaction: Transaction) {
        (self.id, self.body, self.collection, self.transaction) = (id, body, collection, transaction)
    }

    /// Reads and returns the stored body of the document; nil if there is no document, or a deleted one.
    package func oldBody() throws -> [UInt8]? { try transaction.read(id, in: collection)?.body }
}

extension Transaction {
    /// Calls the guards for a change, whose body they may replace.
    func guardSave(_ change: inout Change, in collection: Collection) throws {
        let checks = try saveChecks(of: collection)
        guard !checks.isEmpty else { return }
        var save = DocumentSave(change, in: collection, self)
        for check in checks { try check.check(&save) }
        change.body = save.body
    }

    /// Shows the guards a body that an application made to resolve a conflict, before the row changes. No failure here
    /// prevents the save.
    func noteMerge(_ body: [UInt8], id: String, in collection: Collection) {
        guard !guards.isEmpty, let checks = try? saveChecks(of: collection) else { return }
        for check in checks { check.note(DocumentSave(id: id, body: body, in: collection, self)) }
    }
}

extension WriteTransaction {
    /// Has the guards create their checks again, because this transaction has changed data that they depend on.
    package func reloadGuards() { transaction.reloadSaveChecks() }

    /// Runs `body` without guards, for changes whose result satisfies the guards, such as a migration.
    package func withoutGuards<Result>(_ body: () throws -> Result) rethrows -> Result {
        let guards = transaction.guards
        transaction.guards = []
        defer { transaction.guards = guards }
        return try body()
    }
}

extension Database {
    /// The guards that are installed at present.
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
