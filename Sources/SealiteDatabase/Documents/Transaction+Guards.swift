extension DocumentSave {
    /// Reads and returns the stored body of the document; nil if there is no document, or a deleted one.
    package func oldBody() throws -> [UInt8]? { try transaction.read(id, in: collection)?.body }
}

extension Transaction {
    /// Calls the guards' checks for a change of a document; a check may replace the body of the change, or throw to
    /// refuse it.
    func guardSave(_ change: inout Change, in collection: Collection) throws {
        let checks = try saveChecks(of: collection)
        guard !checks.isEmpty else { return }
        var save = DocumentSave(id: change.id, body: change.body, in: collection, self)
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
    /// Creates the checks of the guards again, because this transaction has changed data on which they depend.
    package func reloadGuards() { transaction.reloadSaveChecks() }

    /// Runs `body` without the guards that check saved documents, for changes whose result satisfies them, such as a
    /// migration.
    package func withoutGuards<Result>(_ body: () throws -> Result) rethrows -> Result {
        let guards = transaction.guards
        transaction.guards = []
        defer { transaction.guards = guards }
        return try body()
    }
}
