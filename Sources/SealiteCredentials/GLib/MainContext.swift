internal import CSecret

/// A GMainContext of our own, so that signals for our proxies don't pile up in the program's default context, which
/// may never run.
@safe
final class MainContext {
    private let pointer: OpaquePointer

    init() {
        unsafe pointer = g_main_context_new()
    }

    /// Makes it the context of this thread, and handles what has come in.
    func push() {
        unsafe g_main_context_push_thread_default(pointer)
        while unsafe g_main_context_iteration(pointer, 0) != 0 {}
    }

    /// Ends what `push` began, on the same thread.
    func pop() {
        unsafe g_main_context_pop_thread_default(pointer)
    }

    deinit { unsafe g_main_context_unref(pointer) }
}
