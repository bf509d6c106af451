/// The columns of a result, or of RETURNING.
package enum Projection: Sendable, Equatable {
    /// One column for each item.
    case columns([ResultColumn])
    /// `SELECT VALUE a`: each row is the value of one expression.
    case value(ResultColumn)
}
