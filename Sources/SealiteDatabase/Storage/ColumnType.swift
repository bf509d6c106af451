internal import SealiteFunctions

/// The storage classes of SQLite's values.
package enum ColumnType: Sendable {
    case null, integer, real, text, blob
}
