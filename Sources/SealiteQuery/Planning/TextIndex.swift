internal import SealiteDatabase
internal import SealiteFunctions

/// A full-text index in the form for queries.
struct TextIndex: Equatable {
    let name: String
    /// The number of the index.
    let number: Int64
    /// The name of the FTS5 table.
    let table: String
    let definition: TextDefinition

    /// Creates the index of a row of the catalogue; nil if it has another kind or isn't ready for use.
    init?(_ record: IndexRecord) {
        guard let (table, definition) = record.text else { return nil }
        (name, number) = (record.name, record.number)
        (self.table, self.definition) = (table, definition)
    }

    /// The start of the error text for an invalid query, also in the errors of `query_match`.
    static let failurePrefix = "the text of MATCH"

    /// Returns the FTS5 expression for a text of MATCH, in SQL.
    func expression(_ text: String) -> String {
        let names = definition.texts.map { ", \(SQLText.string($0.name))" }.joined()
        return "query_match(\(text), \(SQLText.string(definition.tokenizer))\(names))"
    }

    /// Returns the function that ranks the rows of a query of the FTS5 table, in SQL: NULL for rows that aren't among
    /// the best `count`.
    func rank(_ handle: String, count: String = "NULL", _ weights: String) -> String {
        "query_rank(\(handle), \(number), \(count)\(weights))"
    }

    /// Returns the reason for which a text isn't a query of the index; nil if it is one.
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
