import CSQLite

/// File controls of our own, between our API and our VFS on one connection. https://sqlite.org/c3ref/file_control.html
enum PrivateControl {
    /// Argument: where to store a retained `FailureBox`, or NULL where nothing failed. Without one: forget it.
    static let failure: CInt = 0x5EA1_0001
    /// Argument: an unretained `FileTask`.
    static let perform: CInt = 0x5EA1_0002
    /// Argument: an unretained `PageOneCapture`, which takes every page 1 that the connection reads from then on.
    static let capturePageOne: CInt = 0x5EA1_0003
    /// Argument: an unretained `ReadLockKeeper`, which gets the locks of the connection's read transactions from then on.
    static let keepReadLocks: CInt = 0x5EA1_0004

    final class FailureBox {
        let error: SealedFileError
        init(_ error: SealedFileError) { self.error = error }
    }

    /// Asks an open connection for the reason of its last failing call; nil where nothing failed, or the file isn't of our VFS.
    static func failure(of connection: OpaquePointer, schema: String = "main") -> SealedFileError? {
        var box: UnsafeMutableRawPointer?
        let code = unsafe withUnsafeMutablePointer(to: &box) {
            unsafe sqlite3_file_control(connection, schema, failure, $0)
        }
        guard code == SQLITE_OK, let box = unsafe box else { return nil }
        return unsafe Unmanaged<FailureBox>.fromOpaque(box).takeRetainedValue().error
    }

    /// Answers that question.
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
