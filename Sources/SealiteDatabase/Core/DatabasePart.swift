/// A part of an open database, such as the upkeep of indexes, that a higher folder of this module adds when the
/// database is opened. It takes part in transactions and is closed with the database.
protocol DatabasePart: AnyObject, Sendable {
    /// Returns the observers that the part needs for the changes of a collection in a transaction.
    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) throws -> [any RowObserver]

    /// Prepares for the commit of a transaction, while the lock on the file is held.
    func willCommit(_ transaction: Transaction)

    /// Undoes what `willCommit(_:)` announced of a transaction that is rolled back. Called before the lock on the file
    /// is released, and also if `willCommit(_:)` wasn't called.
    func willRollBack(_ transaction: Transaction)

    /// Handles a committed transaction, for example by notifying listeners of its changes; called on the writer's
    /// queue, in the order of commits.
    func didCommit(_ transaction: Transaction)

    /// Does the part's last work in a database that is about to be closed. Not called for a database that is released
    /// without having been closed.
    func willClose(_ database: Database)

    /// Ends the part's work for a database that was closed, or released without having been closed.
    func end(of database: ObjectIdentifier)

    /// Closes the part's connections. Not called for a database that is released without having been closed: its
    /// connections close with the last reference to them.
    func close() throws
}

extension DatabasePart {
    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) throws -> [any RowObserver] { [] }

    func willCommit(_ transaction: Transaction) {}
    func willRollBack(_ transaction: Transaction) {}
    func didCommit(_ transaction: Transaction) {}
    func willClose(_ database: Database) {}
    func end(of database: ObjectIdentifier) {}
    func close() throws {}
}
