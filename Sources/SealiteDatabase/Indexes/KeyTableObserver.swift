internal import GRDB

/// Keeps the table of an index of the kind `value`: an entry is written only where a key changed.
final class KeyTableObserver: RowObserver {
    /// The keys of a document, one after the other.
    private struct Entry: Equatable {
        var bytes: [UInt8] = []
        /// The end of each key in the bytes; empty where the document has no entry.
        var ends: [Int] = []

        mutating func clear() {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
        }
    }

    private let table: KeyTable
    private var old = Entry()
    private var new = Entry()
    /// The statements, kept for the transaction: looking one up by its text costs a tenth of running it.
    private var insert: GRDB.Statement?
    private var delete: GRDB.Statement?

    init(_ table: KeyTable) { self.table = table }

    var readsOldBody: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool {
        try fill(&old, change.old, change.id, transaction)
        try fill(&new, change.new, change.id, transaction)
        return old != new
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        try write(old, change.number, &delete, table.delete, transaction)
        try write(new, change.number, &insert, table.insert, transaction)
    }

    /// Finds the keys of one side of a change.
    private func fill(
        _ entry: inout Entry, _ side: RowChange.Side?, _ id: String, _ transaction: Transaction
    ) throws {
        entry.clear()
        guard let side, !side.flags.contains(.deleted), let body = side.body else { return }
        guard let select = table.select else {
            for path in table.paths {
                path.append(body, to: &entry.bytes)
                entry.ends.append(entry.bytes.count)
            }
            return
        }
        let statement = try PreparedStatement(transaction.connection, select)
        statement.bind(id, at: 1)
        statement.bind(body, at: 2)
        guard try statement.step() else { return }
        for column in 0..<table.definition.keys.count {
            guard let key = statement.blob(at: CInt(column)) else {
                throw DatabaseError(.corruptData, "an expression of the index \(table.number) gives no key")
            }
            entry.bytes += key
            entry.ends.append(entry.bytes.count)
        }
    }

    private func write(
        _ entry: Entry, _ document: Int64, _ kept: inout GRDB.Statement?, _ sql: String, _ transaction: Transaction
    ) throws {
        guard !entry.ends.isEmpty else { return }
        if kept == nil { kept = try transaction.connection.cachedStatement(sql: sql) }
        guard let kept else { return }
        let statement = PreparedStatement(kept)
        var start = 0
        for (index, end) in entry.ends.enumerated() {
            statement.bind(entry.bytes, start..<end, at: CInt(index + 1))
            start = end
        }
        statement.bind(document, at: CInt(entry.ends.count + 1))
        try statement.run()
    }
}
