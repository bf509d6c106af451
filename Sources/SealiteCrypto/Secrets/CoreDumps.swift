internal import COpenSSL
internal import Glibc

/// Controls the core dumps of this process.
package enum CoreDumps {
    /// Forbids core dumps permanently, and with them ptrace(2) by other processes of the same user. For programs, such
    /// as the command line, not for libraries. Afterwards /proc/self belongs to root.
    package static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = sealite_forbid_dumps()
    }
}
