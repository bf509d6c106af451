public import FoundationEssentials
public import SealiteCrypto

/// A session that a server issued: the value and name of a cookie, and the session's end.
public struct SessionCredential: ~Copyable, Sendable {
    /// The value of the cookie.
    public let sessionID: SecretBytes
    /// The name of the cookie; Sync Gateway's is `SyncGatewaySession` unless its configuration says otherwise.
    public let cookieName: String
    /// The time at which the server ends the session; nil if the server didn't state it.
    public let expires: Date?

    /// The name of Sync Gateway's cookie.
    public static let standardCookieName = "SyncGatewaySession"

    /// Creates a session credential.
    public init(
        sessionID: consuming SecretBytes, cookieName: String = standardCookieName, expires: Date? = nil
    ) {
        self.sessionID = sessionID
        self.cookieName = cookieName
        self.expires = expires
    }

    /// Returns whether the session has ended at a time; false if the server didn't state an end.
    public func isExpired(at time: Date) -> Bool {
        expires.map { $0 <= time } ?? false
    }
}
