public import FoundationEssentials
public import SealiteCrypto
public import SealiteEndpoints

/// A credential with its secret. It can't be copied or printed, and its secret is wiped at the end of its lifetime.
public enum Credential: ~Copyable, Sendable {
    /// A password for HTTP Basic authentication or a session login.
    case password(SecretBytes)
    /// A session that a server issued.
    case session(SessionCredential)
    /// A certificate chain with its private key.
    case clientIdentity(ClientIdentityCredential)
    /// A bearer token, sent in the header `Authorization`.
    case bearer(SecretBytes)
    /// The raw key of a key slot of a sealed database.
    case slotKey(SlotKeyCredential)

    /// The kind under which a store keeps the credential.
    public var kind: CredentialKind {
        switch self {
        case .password: .password
        case .session: .session
        case .clientIdentity: .clientIdentity
        case .bearer: .bearer
        case .slotKey: .slotKey
        }
    }
}

/// The kind of credential that an item holds. The raw values are stored in the item's `kind` attribute.
public enum CredentialKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A password for HTTP Basic authentication or a session login.
    case password
    /// A session that a server issued: a cookie with its expiry.
    case session
    /// A certificate chain with its private key, for TLS.
    case clientIdentity = "client-identity"
    /// A token sent as `Authorization: Bearer`.
    case bearer
    /// The raw key of one key slot of a sealed database.
    case slotKey = "slot-key"

    /// The kinds that authenticate at a sync endpoint, in order of preference.
    public static let endpointKinds: [CredentialKind] = [.clientIdentity, .session, .bearer, .password]

    /// The name of the kind in messages, with its article.
    var phrase: String {
        switch self {
        case .password: "a password"
        case .session: "a session"
        case .clientIdentity: "a client identity"
        case .bearer: "a bearer token"
        case .slotKey: "a slot key"
        }
    }
}

/// The raw key of one key slot of a sealed database.
public struct SlotKeyCredential: ~Copyable, Sendable {
    /// The slot's id, 16 bytes.
    public let slotID: [UInt8]
    /// The id of the database in which the slot was created, 16 bytes. A copy or a backup of the database has another
    /// id, but the slot keeps this one. All zeros if the id isn't known.
    public let databaseID: [UInt8]
    /// The key, 32 bytes.
    public let key: SecretBytes

    /// Creates a slot key.
    public init(slotID: [UInt8], databaseID: [UInt8], key: consuming SecretBytes) {
        self.slotID = slotID
        self.databaseID = databaseID
        self.key = key
    }
}

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

/// A certificate chain with its private key, for TLS.
public struct ClientIdentityCredential: ~Copyable, Sendable {
    /// The certificates, each as X.509 DER: the key's own certificate first, then its issuers in order. They aren't
    /// secret.
    public let certificates: [[UInt8]]
    /// The private key, as PKCS#8 DER, not encrypted.
    public let privateKey: SecretBytes

    /// Creates a client identity. Whether the key and the certificate are a pair isn't checked here, but when an
    /// identity is read from a file and in a TLS handshake.
    public init(certificates: [[UInt8]], privateKey: consuming SecretBytes) {
        self.certificates = certificates
        self.privateKey = privateKey
    }
}

extension TransportIdentity {
    /// Creates an identity with copies of the certificates and the private key of one from a credential store.
    public init(_ identity: borrowing ClientIdentityCredential) {
        self.init(certificates: identity.certificates, privateKey: identity.privateKey.duplicate())
    }
}
