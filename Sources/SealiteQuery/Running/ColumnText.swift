internal import SealiteDatabase
internal import SealiteJSON

/// The value of a result's column as text, for programs that show rows.
package enum ColumnText: Sendable, Equatable {
    /// The column has no value: it is MISSING.
    case missing
    /// A number that a 64-bit integer or a double holds exactly, as JSON text.
    case number(String)
    case text(String)
    /// NULL, true, false, an array, an object, or any other number, as JSON text.
    case json(String)
}
