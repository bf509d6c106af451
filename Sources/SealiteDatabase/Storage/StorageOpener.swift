package import GRDB

/// Opens the connections of one database file. What is between SQLite and the disk is decided here and nowhere else: in
/// a program always the sealed file.
package protocol StorageOpener: Sendable {
    /// The path of the file, for messages and for telling files apart.
    var path: String { get }

    /// Opens the pool whose writer makes every change.
    func openPool(_ configuration: GRDB.Configuration) throws -> DatabasePool

    /// Opens one more connection, which only reads.
    func openReader(_ configuration: GRDB.Configuration) throws -> DatabaseQueue
}
