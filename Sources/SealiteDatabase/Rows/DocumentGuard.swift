internal import Synchronization

/// Has what is saved locally checked by a layer above, before a row changes: ``Database/install(_:named:)``.
///
/// Every API of the database passes it, since all of them save by the same call: collections, queries, imports, the layers above. What peers send never does, nor
/// deletions and purges. The resolution of a conflict is shown to it and never refused.
package protocol DocumentGuard: Sendable {
    /// Returns the check of a collection's documents for a transaction that is about to change one of them; nil where they need none.
    ///
    /// It is called on the transaction's thread, where reads of the database see the transaction, once for each collection and transaction, and again after
    /// ``WriteTransaction/reloadGuards()`` and after a nested transaction that began the collection was taken back.
    func check(of collection: Collection) throws -> (any DocumentSaveCheck)?
}

/// The check of one collection's documents in one transaction, used by its thread.
package protocol DocumentSaveCheck {
    /// Looks at a document that is about to be saved, and may replace its body.
    ///
    /// - Throws: the reason why the document isn't saved: an error of the guard's own, which the caller of the save gets. Nothing is changed then.
    func check(_ save: inout DocumentSave) throws

    /// Looks at a document that is saved as it is: an application made it to end a conflict, and sync can't go on without it.
    func note(_ save: DocumentSave)
}

/// An error of a guard that is about what the document holds.
package protocol DocumentRefusal: Error {
    /// A sentence that names properties and what they don't fulfil, never values.
    var refusal: String { get }
}

/// A document that is about to be saved.
package struct DocumentSave {
    /// The document's ID.
    package let id: String
    /// The collection.
    package let collection: Collection
    /// The new body, JSONB. A check that replaces it keeps it within the limits of a body.
    package var body: [UInt8]
    private let transaction: Transaction

    init(_ change: Transaction.Change, in collection: Collection, _ transaction: Transaction) {
        self.init(id: change.id, body: change.body, in: collection, transaction)
    }

    init(id: String, body: [UInt8], in collection: Collection, _ transaction: Transaction) {
        (self.id, self.body, self.collection, self.transaction) = (id, body, collection, transaction)
    }

    /// Returns the body that the document has now; nil where there is no document, or a deleted one. It is read when it is asked for.
    package func oldBody() throws -> [UInt8]? { try transaction.read(id, in: collection)?.body }
}

extension Transaction {
    /// Has the guards look at a change, which they may complete.
    func guardSave(_ change: inout Change, in collection: Collection) throws {
        let checks = try saveChecks(of: collection)
        guard !checks.isEmpty else { return }
        var save = DocumentSave(change, in: collection, self)
        for check in checks { try check.check(&save) }
        change.body = save.body
    }

    /// Shows the guards a body that an application made to end a conflict, before the row changes. Nothing that fails here keeps it from being saved.
    func noteMerge(_ body: [UInt8], id: String, in collection: Collection) {
        guard !guards.isEmpty, let checks = try? saveChecks(of: collection) else { return }
        for check in checks { check.note(DocumentSave(id: id, body: body, in: collection, self)) }
    }
}

extension WriteTransaction {
    /// Has the guards make their checks anew: what they depend on was changed in this transaction.
    package func reloadGuards() { transaction.reloadSaveChecks() }

    /// Runs `body` without guards: for changes that end at what the guards ask for, such as a migration.
    package func withoutGuards<Result>(_ body: () throws -> Result) rethrows -> Result {
        let guards = transaction.guards
        transaction.guards = []
        defer { transaction.guards = guards }
        return try body()
    }
}

extension Database {
    /// The guards that are installed now.
    var currentGuards: [any DocumentGuard] { guards.withLock { $0.map(\.guardian) } }

    /// Installs a guard, in the place of one of the same name. Transactions that begin later pass it.
    package func install(_ guardian: some DocumentGuard, named name: String) {
        guards.withLock { guards in
            guards.removeAll { $0.name == name }
            guards.append((name, guardian))
        }
    }

    /// Removes the guard of a name, if there is one.
    package func removeGuard(named name: String) {
        guards.withLock { $0.removeAll { $0.name == name } }
    }
}
