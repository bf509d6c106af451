internal import FoundationEssentials
public import SealiteCrypto

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
