package import SealiteFile

/// The result of returning a database's free pages to the file system.
package struct FreePageReport: Sendable, Equatable {
    /// The size of the database and its write-ahead log in bytes before.
    package let byteCountBefore: Int64
    /// The size of the database and its write-ahead log in bytes after.
    package let byteCount: Int64
    /// A Boolean value that says whether free pages were returned.
    package let isDone: Bool
    /// The number of bytes of the free pages that the file still has.
    package let freeByteCount: Int64
}

/// When free pages are returned to the file system.
package enum FreePageReturn: Sendable {
    case always, never
    /// If at least a twentieth of the file, and ``smallestCount`` pages, are free.
    case ifWorthwhile

    /// The number of free pages below which returning them isn't worth a new file.
    static let smallestCount: Int64 = 16
}

extension SealedDatabase {
    /// Returns free pages to the file system, and shortens the write-ahead log unless another connection uses it.
    ///
    /// A database with incremental `auto_vacuum` returns its pages step by step. Any other is rewritten (VACUUM), which
    /// needs as much free disk space as the content, and makes other writers wait.
    ///
    /// - Parameters:
    ///   - condition: when pages are returned.
    ///   - isStopped: called every few milliseconds on this thread; returning true cancels the work.
    /// - Returns: the sizes of the file before and after.
    /// - Throws: `SealedFileError`: `cancelled` if `isStopped` returned true (the content is unchanged), `busy`,
    ///   `diskFull`, `permission`, `refused` if VACUUM needs collations or functions that are missing, `damagedPage` and other errors of the storage.
    package func returnFreePages(
        _ condition: FreePageReturn, isStopped: @escaping () -> Bool = { false }
    ) throws(SealedFileError) -> FreePageReport {
        let before = wholeByteCount
        let connection = try connect()
        let pageCount = try connection.integer("PRAGMA page_count")
        let free = try connection.integer("PRAGMA freelist_count")
        let isDone =
            condition == .always
            || condition == .ifWorthwhile && free >= max(pageCount / 20, FreePageReturn.smallestCount)
        if isDone {
            let isIncremental = try connection.integer("PRAGMA auto_vacuum") == 2
            try connection.stopping(if: isStopped) { () throws(SealedFileError) in
                guard condition == .ifWorthwhile, isIncremental else { return try Self.vacuum(connection) }
                try Self.returnStepwise(connection, free)
            }
        }
        // The log stays as it is if another connection uses it.
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return FreePageReport(
            byteCountBefore: before, byteCount: wholeByteCount, isDone: isDone,
            freeByteCount: try connection.integer("PRAGMA freelist_count") * Int64(pageSize))
    }

    private static func vacuum(_ connection: RawConnection) throws(SealedFileError) {
        do throws(SealedFileError) {
            try connection.execute("VACUUM")
        } catch {
            if MissingNames.missing(in: connection) != nil { try MissingNames.requireNone(in: connection) }
            throw error
        }
    }

    private static func returnStepwise(_ connection: RawConnection, _ free: Int64) throws(SealedFileError) {
        var rest = free
        while rest > 0 {
            try connection.execute("PRAGMA incremental_vacuum(4096)")
            let now = try connection.integer("PRAGMA freelist_count")
            guard now < rest else { return }
            rest = now
        }
    }

    private var wholeByteCount: Int64 { FilePermissions.size(of: path) + FilePermissions.size(of: path + "-wal") }
}
