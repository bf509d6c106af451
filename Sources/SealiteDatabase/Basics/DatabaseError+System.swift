internal import Glibc

extension DatabaseError {
    /// Creates the error for a call of the system that failed with an error number: `permissionDenied` if the number
    /// says so, otherwise an error with the given code. The reason is `failure`, followed by the system's message.
    init(errno number: CInt, _ failure: String, otherwise code: Code = .ioError) {
        let message = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        self.init(number == EACCES || number == EPERM ? .permissionDenied : code, "\(failure): \(message)")
    }
}
