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
