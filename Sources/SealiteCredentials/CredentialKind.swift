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
