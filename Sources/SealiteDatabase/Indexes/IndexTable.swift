internal import GRDB
internal import Synchronization

/// The tables of an index, with operations that create, fill, maintain and check them.
protocol IndexTable: Sendable {
    /// The name of the table that queries read.
    var name: String { get }
    /// The name of the table of the collection's documents.
    var documents: String { get }
    /// The tables and views of the index, with the SQL that creates them, in the order of their creation.
    var parts: [FormatTables.Part] { get }
    /// The names of the tables that SQLite creates with those in ``parts``.
    var shadowTables: [String] { get }
    /// The statements to run before the tables are filled.
    var beginFilling: [String] { get }
    /// Completes the tables once they are filled. `progress` is called between steps; an error that it throws ends the
    /// work.
    func endFilling(_ connection: GRDB.Database, _ progress: () throws -> Void) throws
    /// The triggers that maintain the tables for writers other than this program.
    var triggers: [FormatTables.Part] { get }
    /// The statement that inserts the entries of the documents whose numbers are greater than ?1 and at most ?2; nil if
    /// entries are made later.
    var fill: String? { get }
    /// The statements that fill the tables in the order of keys, in place of ``fill``; nil if that isn't possible.
    var sortedFill: SortedFill? { get }
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
    var sortedFill: SortedFill? { nil }
    var beginFilling: [String] { [] }
    func endFilling(_ connection: GRDB.Database, _ progress: () throws -> Void) {}

    /// Returns a trigger of the documents' table, whose name begins with that of the index's table. `condition`, if it
    /// isn't empty, begins with a line break.
    func trigger(_ suffix: String, _ event: String, _ body: String, _ condition: String = "") -> FormatTables.Part {
        FormatTables.Part(
            name: "\(name)_\(suffix)",
            sql: """
                CREATE TRIGGER \(name)_\(suffix) AFTER \(event) ON \(documents)\(condition) BEGIN
                    \(body)
                END
                """)
    }
}

/// Fills the table of an index with entries that are collected in memory and sorted there.
struct SortedFill {
    /// The aggregate that collects the entry of a row of `rows`, an SQL expression in which `entries` stands for the
    /// parameter.
    let collect: @Sendable (_ entries: String) -> String
    /// The rows that have the entries, in SQL as the source of a FROM clause, with the column `number`.
    let rows: String
    /// The statement that inserts the entries ?1 in their order.
    let insert: String
    /// The number of keys of an entry.
    let keyCount: Int
    /// A Boolean value that says whether an entry has a position after the document's number.
    let hasPosition: Bool
}

/// A cache of the indexes of collections, as last read from the catalogue of indexes, so that a transaction doesn't
/// read the definitions again.
final class IndexKeepers: DatabasePart {
    private struct Known {
        let fingerprint: String
        let tables: [any IndexTable]
        let guards: [PathGuard]

        /// The observers of a collection's indexes. Guards precede other observers, so that no work is spent on a
        /// change that a guard refuses.
        var observers: [any RowObserver] {
            (guards.isEmpty ? [] : [PathGuardObserver(guards)]) + tables.map { $0.observer() }
        }
    }

    private let known = Mutex<[Int: Known]>([:])

    /// Returns the observers that maintain a collection's indexes.
    ///
    /// - Throws: `databaseTooNew` if the program can't maintain one of the indexes, `indexNotCurrent` if one must be
    ///   rebuilt.
    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) throws -> [any RowObserver] {
        guard let fingerprint = last.indexes else { return [] }
        if let found = known.withLock({ $0[collection.number] }), found.fingerprint == fingerprint {
            return found.observers
        }
        var tables: [any IndexTable] = []
        var guards: [PathGuard] = []
        for record in try IndexRecord.all(of: collection.number, in: transaction.connection) {
            guard let table = record.table(), record.isCurrent else { throw record.refusal(collection) }
            tables.append(table)
            if let keys = table as? KeyTable, let one = PathGuard(record, keys) { guards.append(one) }
        }
        let found = Known(fingerprint: fingerprint, tables: tables, guards: guards)
        known.withLock { $0[collection.number] = found }
        return found.observers
    }
}
