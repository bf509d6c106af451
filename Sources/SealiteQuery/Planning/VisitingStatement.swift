internal import SealiteDatabase

/// A query as an SQL statement that counts the rows that it visits in each table.
struct VisitingStatement {
    let sql: String
    /// The names of the parameters, in the order of their numbers in SQL, including the parameter for the counters of
    /// visited rows.
    let parameters: [String]
    /// The aliases of the tables in SQL, in the order of the counters.
    let aliases: [String]
}
