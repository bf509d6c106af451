internal import CSecret

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
