internal import Glibc
package import SealiteFile

/// The log and its index that a database has before connections that don't checkpoint are opened.
package struct Sidecars {
    private let database: SealedDatabase
    private let hadLog: Bool
    private let hadIndex: Bool

    package init(_ database: SealedDatabase) {
        self.database = database
        hadLog = FilePermissions.exists(database.path + "-wal")
        hadIndex = FilePermissions.exists(database.path + "-shm")
    }

    /// Removes what the connections have created, unless another connection uses it or the log has content: such a
    /// connection holds a shared lock on the database, and a new one waits for the lock that this method takes.
    package func removeNew() {
        let (log, index) = (database.path + "-wal", database.path + "-shm")
        guard !hadIndex && FilePermissions.exists(index) || !hadLog && FilePermissions.exists(log),
            let lock = try? ExclusiveHandle(database.path, vfs: database.vfs.base, busyTimeout: .zero)
        else { return }
        defer { withExtendedLifetime(lock) {} }
        if !hadLog, FilePermissions.exists(log), FilePermissions.size(of: log) == 0 { unsafe unlink(log) }
        if !hadIndex { unsafe unlink(index) }
    }
}
