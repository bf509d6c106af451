internal import GRDB

/// The definition of an index: what its tables hold.
package protocol IndexDefinition: Sendable {
    /// The kind of the index.
    var kind: String { get }
    /// The text of what the index was made from, for the caller that made it.
    var source: String? { get }
    /// The text of the definition in the catalogue.
    func stored() throws -> String
    /// The components that every index of the kind depends on.
    var ownComponents: Set<IndexComponent> { get }
}

/// The tables of an index, and what makes, fills, keeps and checks them.
protocol IndexTable: Sendable {
    /// The name of the table that queries read.
    var name: String { get }
    /// The tables and views, in the order in which they are made.
    var parts: [Schema.Part] { get }
    /// Statements before the tables are filled.
    var beginFilling: [String] { get }
    /// Completes the tables once they are filled. `progress` is called between steps; an error that it throws ends the work.
    func endFilling(_ connection: GRDB.Database, _ progress: () throws -> Void) throws
    /// The triggers that keep the tables for writers that know nothing of them.
    var triggers: [Schema.Part] { get }
    /// Fills the tables with the entries of the documents whose numbers are above ?1 and not above ?2.
    var fill: String { get }
    /// The documents that are read between two reports of progress.
    var batchDocumentCount: Int64 { get }
    /// Removes what ``parts`` make, where it is there, damaged or not.
    func remove(_ connection: GRDB.Database) throws
    /// Makes what keeps the tables in a transaction of this process.
    func observer() -> any RowObserver
    /// Returns what is wrong with the tables; nil where they hold what the documents have.
    func flaw(_ connection: GRDB.Database) throws -> String?
}

extension IndexTable {
    var beginFilling: [String] { [] }
    func endFilling(_ connection: GRDB.Database, _ progress: () throws -> Void) {}
}

extension IndexDefinition {
    /// The tables of an index of this definition; nil for a definition of a kind that this program doesn't keep.
    func table(number: Int64, collection: Int) -> (any IndexTable)? {
        switch self {
        case let definition as KeyDefinition: KeyTable(number: number, collection: collection, definition)
        case let definition as TextDefinition: TextTable(number: number, collection: collection, definition)
        default: nil
        }
    }
}
