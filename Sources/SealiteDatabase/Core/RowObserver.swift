/// Maintains data derived from the rows of a collection's documents, in the transaction that changes a row.
///
/// Every insertion, update and removal of a row is passed to the observers, whatever caused it: a save, a peer, an
/// expiration, a purge. An observer belongs to one transaction.
protocol RowObserver: AnyObject {
    /// A Boolean value that says whether the observer needs the properties that a row had before a change.
    var readsOldBody: Bool { get }

    /// A Boolean value that says whether the observer can refuse a document because of the rows of other documents.
    var refusesByOtherRows: Bool { get }

    /// Prepares for a change before the row is changed. Errors that depend on the content of a document are thrown
    /// here, where nothing is changed yet.
    ///
    /// - Returns: false if the change doesn't concern the observer; `apply(_:in:)` isn't called then.
    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool

    /// Updates the observer's data for a prepared change. The row is changed already; an error ends the whole
    /// transaction.
    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws
}

extension RowObserver {
    var refusesByOtherRows: Bool { false }
}
