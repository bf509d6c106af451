internal import CSecret

/// What GLib and libsecret would write to standard error.
package enum GLibLog {
    /// Drops all of it, for good. For a program that is its own master; call it once, before anything of GLib runs.
    package static func silence() {
        unsafe g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
    }
}
