import Glibc

/// The system calls by which a file gets its name. A test lets each fail in its turn.
package enum NamingCall: Sendable {
    case sync, link, rename, syncFolder

    /// Asked in a test before each call: the error that it shall fail with; nil to let it be made.
    @TaskLocal package static var failure: (@Sendable (NamingCall) -> CInt?)?

    /// Makes the call. Returns 0, or its error.
    func number(_ call: () -> CInt) -> CInt {
        if let number = Self.failure?(self) { return number }
        return call() == 0 ? 0 : errno
    }

    func make(_ what: String, _ path: String, _ call: () -> CInt) throws(SealedFileError) {
        let result = number(call)
        guard result == 0 else { throw SealedFileError(errno: result, doing: what, path) }
    }
}

extension SealedFileError {
    /// What an error of a system call means for a file.
    package init(errno number: CInt, doing what: String, _ path: String) {
        let text = unsafe String(cString: strerror(number))
        let code: Code
        switch number {
        case EEXIST: code = .exists
        case ENOENT: code = .noSuchFile
        case EACCES, EPERM, EROFS: code = .permission
        case ENOSPC, EDQUOT: code = .diskFull
        default: code = .inputOutput
        }
        self.init(code, "\(what) \"\(path)\" failed: \(text)")
    }
}
