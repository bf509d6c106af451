internal import CSecret

/// The messages that GLib and libsecret write to standard error.
package enum GLibLog {
    /// Discards all these messages permanently. For programs, not for libraries; call it once, before any GLib function
    /// runs.
    package static func silence() {
        unsafe g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
    }
}
