internal import CSecret

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
