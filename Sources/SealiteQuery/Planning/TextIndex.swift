internal import SealiteDatabase
internal import SealiteFunctions

/// A full-text index as queries need it.
struct TextIndex: Equatable {
    let name: String
    /// The number of the index.
    let number: Int64
    /// The name of the FTS5 table.
    let table: String
    let definition: TextDefinition

    /// The index of a row of the catalogue; nil where it is another kind, or can't be used now.
    init?(_ record: IndexRecord) {
        guard let (table, definition) = record.text else { return nil }
        (name, number) = (record.name, record.number)
        (self.table, self.definition) = (table, definition)
    }

    /// The beginning of the reason why a text isn't a query; that of `query_match` begins so too.
    static let failurePrefix = "the text of MATCH"

    /// The expression of FTS5 that a text of MATCH stands for, in SQL.
    func expression(_ text: String) -> String {
        let names = definition.texts.map { ", \(SQLText.string($0.name))" }.joined()
        return "query_match(\(text), \(SQLText.string(definition.tokenizer))\(names))"
    }

    /// The function that ranks the rows of a query of the FTS5 table, in SQL: NULL for those that aren't among the best `count`.
    func rank(_ handle: String, count: String = "NULL", _ weights: String) -> String {
        "query_rank(\(handle), \(number), \(count)\(weights))"
    }

    /// The reason why a text isn't a query of the index; nil where it is one.
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

/// A way to documents through the words of a full-text index: the FTS5 table leads to them, and its functions know the query.
struct TextAccess {
    let index: TextIndex
    /// The MATCH that is it.
    let query: Tree.Expression
    /// The alias of the FTS5 table.
    let alias: String
    /// The expression of FTS5, in SQL.
    let expression: String

    /// The condition that a row can be among the first ones of the query; nil where all rows are wanted.
    var best: String?

    /// The FTS5 table as the first argument of its functions.
    var handle: String { "\(alias).\(index.table)" }
}
