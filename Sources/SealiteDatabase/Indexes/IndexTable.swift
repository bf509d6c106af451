internal import GRDB

/// The tables of an index, with operations that create, fill, maintain and check them.
protocol IndexTable: Sendable {
    /// The name of the table that queries read.
    var name: String { get }
    /// The tables and views of the index, with the SQL that creates them, in the order of their creation.
    var parts: [Schema.Part] { get }
    /// The names of the tables that SQLite creates with those in ``parts``.
    var shadowTables: [String] { get }
    /// The statements to run before the tables are filled.
    var beginFilling: [String] { get }
    /// Completes the tables once they are filled. `progress` is called between steps; an error that it throws ends the
    /// work.
    func endFilling(_ connection: GRDB.Database, _ progress: () throws -> Void) throws
    /// The triggers that maintain the tables for writers other than this program.
    var triggers: [Schema.Part] { get }
    /// The statement that inserts the entries of the documents whose numbers are greater than ?1 and at most ?2.
    var fill: String { get }
    /// The number of documents that are read, while the tables are filled, between two reports of progress.
    var batchDocumentCount: Int64 { get }
    /// Removes the tables and views in ``parts`` that exist, damaged or not.
    func remove(_ connection: GRDB.Database) throws
    /// Returns an observer that maintains the tables in a transaction of this process.
    func observer() -> any RowObserver
    /// Returns a description of a flaw in the tables; nil if their content agrees with the documents. `progress` is
    /// called now and then with the part of the work that is done, at most 1; an error that it throws ends the work.
    func flaw(_ connection: GRDB.Database, _ progress: (Double) throws -> Void) throws -> String?
    /// Returns the time that ``flaw(_:_:)`` takes for a collection with `documentCount` documents, in units of the time
    /// that the check of a document's row takes.
    func checkCost(_ connection: GRDB.Database, documentCount: Double) -> Double
}

extension IndexTable {
    var shadowTables: [String] { [] }
    var beginFilling: [String] { [] }
    func endFilling(_ connection: GRDB.Database, _ progress: () throws -> Void) {}
}
