import CSQLite

/// Private file controls, by which the API reaches the VFS through a connection.
/// https://sqlite.org/c3ref/file_control.html
enum PrivateControl {
    /// The file control that fetches the last failure on the file. Its argument points to a pointer that receives a
    /// retained `FailureBox`, or NULL if nothing failed. If the argument itself is NULL, the failure is discarded.
    static let failure: CInt = 0x5EA1_0001
    /// The file control that runs a task on the open file. Its argument is an unretained `FileTask`.
    static let perform: CInt = 0x5EA1_0002
    /// The file control that captures page 1. Its argument is an unretained `PageOneCapture`, which receives every page
    /// 1 that the connection reads from then on.
    static let capturePageOne: CInt = 0x5EA1_0003
    /// The file control that makes a connection keep its read locks. Its argument is an unretained `ReadLockKeeper`,
    /// which handles the locks of the connection's read transactions from then on.
    static let keepReadLocks: CInt = 0x5EA1_0004
    /// The file control that lets a connection's writes of pages fail once their end is requested. Its argument is an
    /// unretained `StatementStop`, or NULL for none from then on.
    static let stopWrites: CInt = 0x5EA1_0005

    final class FailureBox {
        let error: SealedFileError
        init(_ error: SealedFileError) { self.error = error }
    }

    /// Returns the reason of the last failed call on an open connection; nil if nothing failed or the file doesn't use
    /// the encrypting VFS.
    static func failure(of connection: OpaquePointer, schema: String = "main") -> SealedFileError? {
        var box: UnsafeMutableRawPointer?
        let code = unsafe withUnsafeMutablePointer(to: &box) {
            unsafe sqlite3_file_control(connection, schema, failure, $0)
        }
        guard code == SQLITE_OK, let box = unsafe box else { return nil }
        return unsafe Unmanaged<FailureBox>.fromOpaque(box).takeRetainedValue().error
    }

    /// Handles the file control `failure` inside the VFS, with its argument, and returns SQLite's result code.
    static func answerFailure(_ file: VFSFile?, _ argument: UnsafeMutableRawPointer?) -> CInt {
        guard let file else { return SQLITE_NOTFOUND }
        guard let argument = unsafe argument else {
            file.lastFailure = nil
            return SQLITE_OK
        }
        let slot = unsafe argument.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        unsafe slot.pointee = file.lastFailure.map { unsafe Unmanaged.passRetained(FailureBox($0)).toOpaque() }
        return SQLITE_OK
    }
}
