import CSQLite

/// The main database of a connection that a host has just opened, for the loadable extension, which SQLite lets look at
/// each of them.
package struct ConnectionFile {
    /// The absolute path.
    package let path: String
    /// A Boolean value that says whether the file is open through the encrypting VFS.
    package let isOpenSealed: Bool
    /// A Boolean value that says whether the connection may write to the file.
    package let isWritable: Bool
    /// A Boolean value that says whether the file begins as a sealed database. The first bytes are read by the file that
    /// is open already: opening it once more, and closing that, would drop SQLite's locks.
    package let beginsAsSealed: Bool

    /// Returns the file of a connection's main database; nil if that has no file, as a database in memory.
    package init?(of connection: OpaquePointer) {
        guard let name = unsafe sqlite3_db_filename(connection, "main"), unsafe name.pointee != 0 else { return nil }
        path = unsafe String(cString: name)
        isWritable = unsafe sqlite3_db_readonly(connection, "main") == 0
        var vfs: UnsafeMutablePointer<sqlite3_vfs>?
        _ = unsafe withUnsafeMutablePointer(to: &vfs) {
            unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_VFS_POINTER, $0)
        }
        isOpenSealed = unsafe vfs?.pointee.zName.map { unsafe String(cString: $0).hasPrefix(SealedVFS.name) } ?? false
        beginsAsSealed = unsafe !isOpenSealed && Self.firstBytes(of: connection) == HeaderLayout.magic
    }

    private static func firstBytes(of connection: OpaquePointer) -> [UInt8]? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        _ = unsafe withUnsafeMutablePointer(to: &file) {
            unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, $0)
        }
        guard let file = unsafe file else { return nil }
        return unsafe try? BaseFile(file).bytes(HeaderLayout.magic.count, at: 0).get()
    }

    /// A Boolean value that says whether this process has a sealed database open.
    package static var hasSealedFilesOpen: Bool { !LiveFiles.isEmpty }

    /// Records a reason for which the file isn't usable, which `SealedDatabase.failure(opening:)` returns from then on.
    package func note(_ failure: SealedFileError) { FailureLog.note(failure, opening: path) }
}
