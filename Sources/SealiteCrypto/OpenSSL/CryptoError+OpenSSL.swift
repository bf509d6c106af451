internal import COpenSSL

extension CryptoError {
    /// Returns the error of a failed OpenSSL call, with the messages in the thread's error queue; its code is `code`,
    /// or `outOfMemory` if the queue says so. Empties the queue, so it must be called before any suspension.
    @inline(never)
    static func openSSL(_ what: String, code: Code = .openSSLFailure) -> CryptoError {
        var reasons: [String] = []
        var code = code
        while true {
            let number = ERR_get_error()
            if number == 0 { break }
            if ERR_GET_REASON(number) == ERR_R_MALLOC_FAILURE { code = .outOfMemory }
            if let text = unsafe ERR_reason_error_string(number) {
                reasons.append(unsafe String(cString: text))
            } else {
                reasons.append("error \(String(number, radix: 16))")
            }
        }
        return CryptoError(code, what, openSSLReasons: reasons)
    }
}
