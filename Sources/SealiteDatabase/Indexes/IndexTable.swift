internal import GRDB

/// The definition of an index, from which the content of its tables follows.
package protocol IndexDefinition: Sendable {
    /// The kind of the index.
    var kind: String { get }
    /// The source text of the definition, for the caller that created the index.
    var source: String? { get }
    /// Returns the text of the definition in the catalogue.
    func stored() throws -> String
    /// The components that every index of the kind depends on.
    var ownComponents: Set<IndexComponent> { get }
}

/// The tables of an index, with operations that create, fill, maintain and check them.
protocol IndexTable: Sendable {
    /// The name of the table that queries read.
    var name: String { get }
    /// The tables and views, in the order of their creation.
    var parts: [Schema.Part] { get }
    /// The statements to run before the tables are filled.
    var beginFilling: [String] { get }
    /// Completes the tables once they are filled. `progress` is called between steps; an error that it throws ends the
    /// work.
    func endFilling(_ connection: GRDB.Database, _ progress: () throws -> Void) throws
    /// The triggers that maintain the tables for writers other than this program.
    var triggers: [Schema.Part] { get }
    /// The statement that inserts the entries of the documents whose numbers are greater than ?1 and at most ?2.
    var fill: String { get }
    /// The number of documents that are read between two reports of progress.
    var batchDocumentCount: Int64 { get }
    /// Removes the tables and views in ``parts`` that exist, damaged or not.
    func remove(_ connection: GRDB.Database) throws
    /// Returns an observer that maintains the tables in a transaction of this process.
    func observer() -> any RowObserver
    /// Returns a description of a flaw in the tables; nil if their content agrees with the documents.
    func flaw(_ connection: GRDB.Database) throws -> String?
}

extension IndexTable {
    var beginFilling: [String] { [] }
    func endFilling(_ connection: GRDB.Database, _ progress: () throws -> Void) {}
}

extension IndexDefinition {
    /// Returns the tables of an index of this definition; nil for a definition of a kind that this program doesn't
    /// maintain.
    func table(number: Int64, collection: Int) -> (any IndexTable)? {
        switch self {
        case let definition as KeyDefinition: KeyTable(number: number, collection: collection, definition)
        case let definition as TextDefinition: TextTable(number: number, collection: collection, definition)
        default: nil
        }
    }
}
