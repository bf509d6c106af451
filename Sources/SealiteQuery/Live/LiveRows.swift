internal import SealiteDatabase

/// A result of an observed query, whose rows all observers of equal queries share.
final class LiveRows: Sendable {
    let columns: ResultColumns
    let database: Database
    let results: [Result]
    let hash: RowHash

    init(_ columns: ResultColumns, _ database: Database, _ results: [Result], hash: RowHash) {
        self.columns = columns
        self.database = database
        self.results = results
        self.hash = hash
    }

    /// Returns a result set with the rows for one observer, which reads them independently of others.
    func makeResultSet() -> ResultSet { ResultSet(columns, database, shared: results) }
}
