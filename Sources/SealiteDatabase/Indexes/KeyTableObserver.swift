internal import GRDB

/// Maintains the table of an index: an entry is written only if it changed.
final class KeyTableObserver: RowObserver {
    private let table: KeyTable
    private var old: DocumentEntries
    private var new: DocumentEntries
    /// The entries of `old` to delete and the entries of `new` to insert.
    private var changes = DocumentEntries.Changes()
    /// The prepared statements, kept for the transaction, because looking one up by its text costs a tenth of running
    /// it.
    private var insert: GRDB.Statement?
    private var delete: GRDB.Statement?

    init(_ table: KeyTable) {
        self.table = table
        old = DocumentEntries(width: table.width, hasPosition: table.definition.hasPositions)
        new = old
    }

    var readsOldBody: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool {
        if hasSameContainer(change) { return false }
        try fill(&old, change.old, change.id, transaction)
        try fill(&new, change.new, change.id, transaction)
        changes.find(from: old, to: new)
        return !changes.isEmpty
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        try write(old, changes.deleted, change.number, &delete, table.delete, transaction)
        try write(new, changes.inserted, change.number, &insert, table.insert, transaction)
    }

    /// Returns whether ``KeyTable/container``, the value from which all entries are made, has the same bytes on both
    /// sides of a change.
    private func hasSameContainer(_ change: borrowing RowChange) -> Bool {
        guard let container = table.container, let before = change.old?.liveBody,
            let after = change.new?.liveBody
        else { return false }
        return container.hasSame(in: before, after)
    }

    /// Replaces `entries` by the entries of the document on one side of a change, before it or after it; there are none
    /// for a tombstone or a missing side.
    private func fill(
        _ entries: inout DocumentEntries, _ side: RowChange.Side?, _ id: String, _ transaction: Transaction
    ) throws {
        entries.clear()
        guard let body = side?.liveBody else { return }
        guard let select = table.select else {
            assert(table.paths.count == table.width, "each column is the value at a path")
            for path in table.paths { entries.append { path.append(body, to: &$0) } }
            return
        }
        let statement = try PreparedStatement(transaction.connection, select)
        assert(statement.columnCount == table.width, "the statement selects the columns of an entry")
        statement.bind(id, at: 1)
        statement.bind(body, at: 2)
        try transaction.connection.limited(
            to: StepLimit.ofDocument, "computing a document's entries in the index with the table \"\(table.name)\""
        ) {
            while try statement.step() {
                for column in 0..<table.width {
                    guard let value = statement.blob(at: CInt(column)) else {
                        throw DatabaseError(
                            .unexpected,
                            "an SQL expression of the index with the table \"\(table.name)\" yields a value that is not a BLOB"
                        )
                    }
                    entries.append { $0 += value }
                }
            }
        }
    }

    private func write(
        _ entries: DocumentEntries, _ indexes: [Int], _ document: Int64, _ kept: inout GRDB.Statement?, _ sql: String,
        _ transaction: Transaction
    ) throws {
        guard !indexes.isEmpty else { return }
        if kept == nil { kept = try transaction.connection.cachedStatement(sql: sql) }
        guard let kept else { return }
        assert(indexes.allSatisfy { $0 >= 0 && $0 < entries.count }, "the entries are those of the document")
        for index in indexes {
            let statement = PreparedStatement(kept)
            for column in 0..<table.width {
                statement.bind(entries.bytes, entries.range(index, column), at: CInt(column + 1))
            }
            statement.bind(document, at: CInt(table.width + 1))
            try statement.run()
        }
    }
}
