// GRDB on a sealed file: `DatabaseQueue` and `DatabasePool` from an unlocked `SealedDatabase`. Besides GRDB, a program
// imports only this module: keys, creating, opening and rotating are those of the two modules that it re-exports.

public import GRDB
@_exported public import SealiteCrypto
@_exported public import SealiteFile

extension SealedDatabase {
    /// Opens a GRDB queue on this database: one connection with serialised access. https://github.com/groue/GRDB.swift
    ///
    /// - Parameter configuration: GRDB's configuration. Its busy mode `.immediateError`, which is GRDB's default, is
    ///   replaced by a timeout of 5 seconds.
    /// - Returns: the open database.
    /// - Throws: `SealedFileError` if the sealing layer knows the reason, otherwise GRDB's error.
    public func makeQueue(configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        try opening { try DatabaseQueue(path: uri, configuration: prepared(configuration)) }
    }

    /// Opens a GRDB pool on this database: one writer and concurrent readers, in WAL mode.
    ///
    /// Each opening changes the file, since GRDB then creates and drops a table, and other connections parse the schema
    /// anew. A program that opens a database often and changes it rarely uses ``makeQueue(configuration:)``.
    ///
    /// - Parameter configuration: GRDB's configuration. Its busy mode `.immediateError`, which is GRDB's default, is
    ///   replaced by a timeout of 5 seconds.
    /// - Returns: the open database.
    /// - Throws: `SealedFileError` if the sealing layer knows the reason, otherwise GRDB's error.
    public func makePool(configuration: Configuration = Configuration()) throws -> DatabasePool {
        try opening { try DatabasePool(path: uri, configuration: prepared(configuration)) }
    }

    private func prepared(_ configuration: Configuration) -> Configuration {
        var configuration = configuration
        if case .immediateError = configuration.busyMode { configuration.busyMode = .timeout(5) }
        return configuration
    }

    private func opening<Opened>(_ open: () throws -> Opened) throws -> Opened {
        do {
            return try open()
        } catch let error as DatabaseError {
            throw SealedDatabase.failure(opening: path) ?? error
        }
    }
}
