import Synchronization

/// SQLite extensions that supply the collations and functions of a database's own program.
extension SealedDatabase {
    /// Loads SQLite extensions on each connection that the handle opens for its own work from now on: copies, backups,
    /// salvages and verifications. They supply collations and functions that the schema needs and that only the database's
    /// own program has. Connections that the program opens by ``uri`` aren't affected.
    ///
    /// An extension is native code, and runs with all rights of this process. The schema may then call its functions. SQLite's
    /// SQL function `load_extension` stays disabled. <https://sqlite.org/loadext.html>
    ///
    /// - Parameter paths: the paths of the libraries.
    /// - Throws: `SealedFileError`: `noSuchFile`, `notAFile`, `permission`, `invalidArgument` if a library can't be loaded.
    public func loadExtensions(_ paths: [String]) throws(SealedFileError) {
        try RawConnection.inMemory(path: path).load(extensions: paths)
        extensionPaths.withLock { $0 += paths }
    }

    /// The paths of the extensions for this handle's own connections.
    package var extensions: [String] { extensionPaths.withLock { $0 } }
}
