internal import SealiteDatabase

/// A query as an SQL statement that counts the rows that it visits in each table.
struct VisitingStatement {
    let sql: String
    /// The parameters, in the order of their numbers in SQL, including the one for the counters of visited rows.
    let parameters: [StatementParameter]
    /// The aliases of the tables in SQL, in the order of the counters.
    let aliases: [String]
}
