internal import SealiteDatabase

/// The peers that may connect to a listener.
public enum ListenerAccess: Sendable, Hashable {
    /// Peers that pass every configured check: the password, the client certificate, or both. At least one check must
    /// be configured.
    case authenticated
    /// All peers, without any check.
    case anyone
}
