internal import COpenSSL
internal import Glibc

/// Core dumps of this process.
package enum CoreDumps {
    /// Forbids them for good, and with them ptrace(2) by other processes of the same user. For a program that is its own
    /// master, such as the command line. From then on /proc/self belongs to root.
    package static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = sealite_forbid_dumps()
    }
}
