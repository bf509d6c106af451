/// The results of a SELECT or of RETURNING.
package enum Projection: Sendable, Equatable {
    /// Rows with one column for each item.
    case columns([ResultColumn])
    /// `SELECT VALUE a`: each row is the value of one expression.
    case value(ResultColumn)
}
