internal import CSecret

/// A copy of a GError, as a value that outlives it.
struct GErrorValue: Error, Equatable {
    /// The domain's name, for example `g-io-error-quark`.
    let domain: String
    let code: Int
    let message: String
    private static let longestMessage = 200

    /// Copies the error and frees it. Nil if there is no error: the call succeeded, or failed without setting one, as
    /// libsecret's calls may do.
    init?(consuming error: UnsafeMutablePointer<GError>?) {
        guard let error = unsafe error else { return nil }
        defer { unsafe g_error_free(error) }
        domain = unsafe g_quark_to_string(error.pointee.domain).map { unsafe String(cString: $0) } ?? "unknown"
        code = unsafe Int(error.pointee.code)
        let text = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? ""
        // A provider's message may be long, have several lines, or be a program's whole traceback.
        message = printable(String(text.prefix { !$0.isNewline }), limit: Self.longestMessage)
    }

    func isIn(_ quark: GQuark) -> Bool {
        unsafe g_quark_to_string(quark).map { unsafe String(cString: $0) } == domain
    }

    var isInputOutput: Bool { isIn(g_io_error_quark()) }
    var isDBus: Bool { isIn(g_dbus_error_quark()) }
    var isSecret: Bool { isIn(secret_error_get_quark()) }
}

/// Calls a GLib function with a location for its error; returns the function's result and a copy of the error, nil if
/// none was set. The GError itself is freed.
func withGError<R>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> R
) -> (R, GErrorValue?) {
    var error: UnsafeMutablePointer<GError>?
    let result = unsafe body(&error)
    return unsafe (result, GErrorValue(consuming: error))
}
