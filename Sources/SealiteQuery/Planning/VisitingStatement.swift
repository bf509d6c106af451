internal import SealiteDatabase

/// A query as a statement that counts the rows it visits.
struct VisitingStatement {
    let sql: String
    /// The names of the parameters, including that of the counters.
    let parameters: [String]
    /// The aliases of the tables, in the order of their counters.
    let aliases: [String]
}
