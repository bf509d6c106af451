import Glibc

/// The system calls that publish a file under its final name. Tests inject a failure into each.
package enum NamingCall: Sendable {
    case sync, link, rename, syncFolder

    /// A test hook consulted before each call: the error number to fail with, or nil to make the call.
    @TaskLocal package static var failure: (@Sendable (NamingCall) -> CInt?)?

    /// Performs the call. Returns 0, or the value of `errno`.
    func number(_ call: () -> CInt) -> CInt {
        if let number = Self.failure?(self) { return number }
        return call() == 0 ? 0 : errno
    }

    func make(_ what: String, _ path: String, _ call: () -> CInt) throws(SealedFileError) {
        let result = number(call)
        guard result == 0 else { throw SealedFileError(errno: result, doing: what, path) }
    }
}
