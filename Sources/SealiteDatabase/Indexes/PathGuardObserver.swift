internal import SealiteValues

/// Checks documents that are written against the constraints of the indexes over paths, and sets their expirations.
///
/// A document that a peer sends is never refused: a violation that it brings stays until the documents are changed.
final class PathGuardObserver: RowObserver {
    private let guards: [PathGuard]
    private let expiring: [PathGuard]
    /// The expiration to set for the prepared change's document, in milliseconds since 1970; nil for none.
    private var expiration: Int64?

    init(_ guards: [PathGuard]) {
        self.guards = guards.filter(\.looksAtEntries)
        expiring = guards.filter { $0.expiresAfter != nil }
    }

    var readsOldBody: Bool { true }
    var refusesByOtherRows: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool {
        let (old, new) = (change.old?.liveBody, change.new?.liveBody)
        if let new, !change.isIncoming {
            for one in guards { try check(one, old, new, change, transaction) }
        }
        // A deletion takes away the date, and with it the time, which a later document with the id would get otherwise.
        guard !expiring.isEmpty, change.new != nil else { return false }
        expiration = expiring.expiration(of: new)
        return expiration != expiring.expiration(of: old)
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        _ = try transaction.setExpiration(change.id, expiration, in: change.collection)
    }

    /// Checks a document that is written against the constraints of one index. Entries that the document had before
    /// aren't checked, nor are its arrays if they weren't accepted before, so that a document from a peer with a
    /// violation can still be edited.
    private func check(
        _ one: PathGuard, _ old: [UInt8]?, _ new: [UInt8], _ change: borrowing RowChange, _ transaction: Transaction
    ) throws {
        let entries = one.entries(change.id, new)
        let before = old.map { one.entries(change.id, $0) }
        if !one.acceptsArrays(of: entries, new) {
            // The document may have come from a peer like this.
            guard let old, let before, !one.acceptsArrays(of: before, old) else {
                throw IndexRefusal.parallelArrays.error(one.name)
            }
        }
        guard one.isUnique, try fulfils(one, change.id, new) else { return }
        var added = Set(entries.keys)
        if let old, let before, try fulfils(one, change.id, old) { added.subtract(before.keys) }
        for key in added { try check(one, key, change, transaction) }
    }

    private func check(
        _ one: PathGuard, _ key: [UInt8], _ change: borrowing RowChange, _ transaction: Transaction
    ) throws {
        // The empty entry stands for too many entries, of which no other document's can be told.
        guard !key.isEmpty, key.count < OrderKey.maximumByteCount else { throw IndexRefusal.tooLong.error(one.name) }
        let statement = try PreparedStatement(transaction.connection, one.selectOthers)
        statement.bind(key, at: 1)
        statement.bind(change.number, at: 2)
        while try statement.step() {
            if one.filter == nil { throw IndexRefusal.duplicate.error(one.name) }
            guard try fulfils(one, statement.text(at: 1), statement.bytes(at: 2) ?? Document.emptyBody) else {
                continue
            }
            throw IndexRefusal.duplicate.error(one.name)
        }
    }

    /// Returns whether a document satisfies the filter of a guard, and therefore must have unique values; true if the
    /// guard has no filter, false if no compiler of filters is registered.
    private func fulfils(_ one: PathGuard, _ id: String, _ body: [UInt8]) throws -> Bool {
        guard let filter = one.filter else { return true }
        return try IndexFilters.test(for: filter)?(id, body) ?? false
    }
}
