import Glibc

/// The number of files and connections that the process may have open.
enum DescriptorLimit {
    /// The number of descriptors of a server beside those of its peers: of the database and its connections, of logs, of
    /// handshakes.
    private static let ownCount = 256

    /// Raises the limit, as far as the system permits, so that a server can have this number of peers.
    static func raise(toServe peerCount: Int) {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(kind, &limit) == 0 else { return }
        let needed = rlim_t(peerCount + ownCount)
        guard limit.rlim_cur < needed else { return }
        limit.rlim_cur = min(needed, limit.rlim_max)
        _ = unsafe setrlimit(kind, &limit)
    }
}
