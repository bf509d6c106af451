// GRDB on a sealed file: `DatabaseQueue` and `DatabasePool` from an unlocked `SealedDatabase`.

public import GRDB
public import SealiteFile

extension SealedDatabase {
    /// A GRDB queue on this database: one connection, serialised. https://github.com/groue/GRDB.swift
    ///
    /// - Parameter configuration: GRDB's own. Its busy mode is set to 5 seconds where it says nothing else.
    /// - Returns: the open database.
    /// - Throws: `SealedFileError` where the sealing layer knows the reason, else GRDB's `DatabaseError`.
    public func makeQueue(configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        try opening { try DatabaseQueue(path: uri, configuration: prepared(configuration)) }
    }

    /// A GRDB pool on this database: one writer and concurrent readers, in WAL mode.
    ///
    /// - Parameter configuration: GRDB's own. Its busy mode is set to 5 seconds where it says nothing else.
    /// - Returns: the open database.
    /// - Throws: `SealedFileError` where the sealing layer knows the reason, else GRDB's `DatabaseError`.
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
        } catch {
            throw SealedDatabase.failure(opening: path) ?? error
        }
    }
}
