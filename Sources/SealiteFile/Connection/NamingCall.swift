import Glibc

/// The system calls that give a temporary file its final name, each of which can be made to fail by `failure`.
package enum NamingCall: Sendable {
    case sync, link, rename, syncFolder

    /// A test hook consulted before each call: returns the `errno` to fail with, or nil to make the call.
    @TaskLocal package static var failure: (@Sendable (NamingCall) -> CInt?)?

    /// Makes the call, unless the test hook injects a failure. Returns 0 on success, otherwise the value of `errno`.
    func number(_ call: () -> CInt) -> CInt {
        if let number = Self.failure?(self) { return number }
        return call() == 0 ? 0 : errno
    }

    func make(_ what: String, _ path: String, _ call: () -> CInt) throws(SealedFileError) {
        let result = number(call)
        guard result == 0 else { throw SealedFileError(errno: result, doing: what, path) }
    }
}
