internal import SealiteDatabase
internal import SealiteFunctions

/// A full-text index in the form that the translation of queries needs.
struct TextIndex: Equatable {
    let name: String
    /// The number of the index in the database's catalogue of indexes.
    let number: Int64
    /// The name of the index's FTS5 table.
    let table: String
    let definition: TextDefinition

    /// Creates the index from its row of the database's catalogue of indexes; nil if it isn't a full-text index, or
    /// isn't ready for use.
    init?(_ record: IndexRecord) {
        guard let (table, definition) = record.text else { return nil }
        (name, number) = (record.name, record.number)
        (self.table, self.definition) = (table, definition)
    }

    /// The beginning of the error message for an invalid search text; the SQL function `query_match` uses it too.
    static let failurePrefix = "the text of MATCH"

    /// Returns the SQL for the FTS5 expression to which a search text is translated. `text` is the search text, in SQL.
    func expression(_ text: String) -> String {
        let names = definition.texts.map { ", \(SQLText.string($0.name))" }.joined()
        return "query_match(\(text), \(SQLText.string(definition.tokenizer))\(names))"
    }

    /// Returns the SQL for the rank of a row that a scan of the FTS5 table has found; its value is NULL for a row if
    /// the scan has already found `count` better ones, and never NULL without a count. `handle` is the SQL for the
    /// scanned table, and `weights` the SQL of further arguments, each after a comma.
    func rank(_ handle: String, count: String = "NULL", _ weights: String) -> String {
        "query_rank(\(handle), \(number), \(count)\(weights))"
    }

    /// Returns the reason why a search text is invalid for the index; nil if it is valid.
    func problem(of text: String) -> String? {
        do throws(FullTextQuery.Failure) {
            _ = try FullTextQuery(
                text, columns: definition.texts.map(\.name), settings: definition.settings ?? WordSettings())
            return nil
        } catch {
            return "\(Self.failurePrefix), character \(error.position): \(error.reason)"
        }
    }
}
