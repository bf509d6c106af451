package import GRDB
package import SealiteFile
internal import SealiteGRDB

/// Opens the connections to one database file. Conformances determine the layer between SQLite and the disk, which is
/// always the sealed file in a program.
package protocol StorageOpener: Sendable {
    /// The path of the file, for messages and for distinguishing files.
    var path: String { get }

    /// Opens the connection that makes every change.
    func openWriter(_ configuration: GRDB.Configuration) throws -> DatabaseQueue

    /// Opens a further connection, which only reads.
    func openReader(_ configuration: GRDB.Configuration) throws -> DatabaseQueue

    /// Opens a connection for `PRAGMA data_version`, which needs no schema: a connection of GRDB parses it.
    func openPoller() throws -> RawConnection

    /// Removes the empty write-ahead log that connections which only read leave beside the file, if no connection uses
    /// it.
    func removeEmptyLog()
}

/// Opens connections to an unlocked sealed file.
struct SealedOpener: StorageOpener {
    let handle: SealedDatabase

    var path: String { handle.path }

    // Not a pool of GRDB, which changes the schema of a file that is named by a URI each time it is opened.
    func openWriter(_ configuration: GRDB.Configuration) throws -> DatabaseQueue {
        try handle.makeQueue(configuration: configuration)
    }

    func openReader(_ configuration: GRDB.Configuration) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try handle.makeQueue(configuration: configuration)
    }

    func openPoller() throws -> RawConnection { try handle.connectReadOnly() }

    func removeEmptyLog() { handle.removeEmptyLog() }
}
