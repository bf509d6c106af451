internal import SealiteDatabase

/// A result whose rows all observers of equal queries share.
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

    /// Returns a result set for one observer.
    func makeResultSet() -> ResultSet { ResultSet(columns, database, shared: results) }
}
