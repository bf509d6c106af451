internal import GRDB
internal import SealiteFunctions

/// Maintains the FTS5 table of a full-text index: a document's row is written only if the words of its texts changed.
final class TextTableObserver: RowObserver {
    private let table: TextTable
    /// The document's texts before the change, in UTF-8, each nil if it is NULL; nil if the document wasn't in the
    /// index.
    private var old: [[UInt8]?]?
    /// The document's texts after the change, in UTF-8, each nil if it is NULL; nil if the document isn't in the index.
    private var new: [[UInt8]?]?

    init(_ table: TextTable) { self.table = table }

    var readsOldBody: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool {
        old = try texts(change.old, change.id, transaction)
        new = try texts(change.new, change.id, transaction)
        return old != new && !haveSameWords()
    }

    /// Returns whether the texts before and after the change have the same words at the same positions.
    private func haveSameWords() -> Bool {
        guard let old, let new else { return false }
        return zip(old, new).allSatisfy { old, new in
            old == new
                || TextWords(old ?? [], ignoresAccents: table.ignoresAccents)
                    == TextWords(new ?? [], ignoresAccents: table.ignoresAccents)
        }
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        transaction.writtenTextCount += 1
        if let old { try write(table.delete, change.number, old, transaction) }
        if let new { try write(table.insert, change.number, new, transaction) }
        (old, new) = (nil, nil)
    }

    private func texts(
        _ side: RowChange.Side?, _ id: String, _ transaction: Transaction
    ) throws -> [[UInt8]?]? {
        guard let body = side?.liveBody else { return nil }
        let statement = try PreparedStatement(transaction.connection, table.select)
        statement.bind(id, at: 1)
        statement.bind(body, at: 2)
        let isIndexed = try transaction.connection.limited(
            to: StepLimit.ofDocument, "computing a document's texts in the index with the table \"\(table.name)\""
        ) { try statement.step() }
        guard isIndexed else { return nil }
        return table.definition.texts.indices.map { statement.bytes(at: CInt($0)) }
    }

    private func write(_ sql: String, _ number: Int64, _ texts: [[UInt8]?], _ transaction: Transaction) throws {
        let statement = try PreparedStatement(transaction.connection, sql)
        statement.bind(number, at: 1)
        for (index, text) in texts.enumerated() { statement.bind(text: text, at: CInt(index + 2)) }
        try statement.run()
    }
}
