package import GRDB

/// Opens the connections to one database file. Conformances determine the layer between SQLite and the disk, which is
/// always the sealed file in a program.
package protocol StorageOpener: Sendable {
    /// The path of the file, for messages and for distinguishing files.
    var path: String { get }

    /// Opens the connection pool whose writer makes every change.
    func openPool(_ configuration: GRDB.Configuration) throws -> DatabasePool

    /// Opens a further connection, which only reads.
    func openReader(_ configuration: GRDB.Configuration) throws -> DatabaseQueue

    /// Removes the empty write-ahead log that connections which only read leave beside the file, if no connection uses
    /// it.
    func removeEmptyLog()
}
