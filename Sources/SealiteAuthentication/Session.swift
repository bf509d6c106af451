internal import FoundationEssentials
internal import SealiteCredentials
internal import SealiteCrypto

/// A copy of a stored login session that several handshakes can share; a `SessionCredential`, which is noncopyable,
/// can't be shared.
struct Session: Sendable {
    /// The name of the cookie by which the server recognizes the session.
    let cookieName: String
    /// The value of the cookie, a secret.
    let sessionID: SharedSecret
    /// The end of the session; nil if the server didn't state it.
    let expires: Date?

    /// Creates a copy of a stored session.
    init(_ session: borrowing SessionCredential) {
        cookieName = session.cookieName
        sessionID = SharedSecret(session.sessionID.duplicate())
        expires = session.expires
    }

    /// Returns whether the session has ended at a time; false if its end isn't known.
    func isExpired(at time: Date) -> Bool { expires.map { $0 <= time } ?? false }
}
