internal import CSecret
internal import CSecretLoading
internal import SealiteBase

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

/// The messages that GLib and libsecret write to standard error.
package enum GLibLog {
    /// Discards all these messages permanently. For programs, not for libraries; call it once, before any GLib function
    /// runs.
    package static func silence() { sealite_silence_glib() }
}

/// The library libsecret and those that it needs, which aren't loaded before they are used.
enum SecretLibrary {
    /// Loads libsecret; must be called before its first function, and GLib's.
    ///
    /// - Throws: `noProvider` if it can't be loaded.
    static func load() throws(CredentialError) {
        guard let reason = unsafe sealite_load_secret() else { return }
        throw CredentialError(
            .noProvider, "the Secret Service can't be used: \(printable(unsafe String(cString: reason), limit: 200))",
            hint: "install libsecret (the Debian package libsecret-1-0), or use a vault")
    }
}

/// Passes a temporary GList of the elements to a closure and then frees the list's nodes. The elements themselves keep
/// their owners.
func withGList<R>(of elements: [UnsafeMutableRawPointer], _ body: (UnsafeMutablePointer<GList>?) -> R) -> R {
    let list = unsafe elements.reduce(nil) { unsafe g_list_append($0, $1) }
    defer { unsafe g_list_free(list) }
    return unsafe body(list)
}

/// A GMainContext for this module, so that signals for its proxies don't accumulate in the program's default context,
/// which may never run.
@safe
final class MainContext {
    private let pointer: OpaquePointer

    init() {
        unsafe pointer = g_main_context_new()
    }

    /// Makes this the default context of the thread, and handles pending events.
    func push() {
        unsafe g_main_context_push_thread_default(pointer)
        while unsafe g_main_context_iteration(pointer, 0) != 0 {}
    }

    /// Reverts `push`, on the same thread.
    func pop() {
        unsafe g_main_context_pop_thread_default(pointer)
    }

    deinit { unsafe g_main_context_unref(pointer) }
}

/// A GCancellable, with which another thread can stop a blocking GLib call.
@safe
// Sendable: GCancellable is safe from any thread, and the pointer never changes.
final class Cancellable: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GCancellable>

    init() {
        unsafe pointer = g_cancellable_new()
    }

    /// Makes the current call that uses this object, and every later one, return with G_IO_ERROR_CANCELLED.
    func cancel() {
        unsafe g_cancellable_cancel(pointer)
    }

    deinit { unsafe g_object_unref(pointer) }
}
