internal import FoundationEssentials

/// The identity of a credential: its service, account and kind. None of it is secret.
public struct CredentialReference: Sendable, Hashable, CustomStringConvertible {
    /// The server or purpose that the credential is for.
    public let service: CredentialService
    /// The owner of the credential: a user name; empty if there is none.
    public let account: String
    /// The kind of the credential.
    public let kind: CredentialKind

    /// The maximum length of an account, in UTF-8 bytes.
    public static let maximumAccountByteCount = 1024

    /// Creates a reference.
    ///
    /// - Throws: `invalidArgument` if the account is longer than 1,024 bytes or contains control characters.
    public init(service: CredentialService, account: String, kind: CredentialKind) throws(CredentialError) {
        guard account.utf8.count <= Self.maximumAccountByteCount else {
            throw CredentialError(
                .invalidArgument,
                "the account name has \(account.utf8.count) bytes; the limit is \(Self.maximumAccountByteCount)")
        }
        guard !account.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw CredentialError(.invalidArgument, "the account name holds a control character")
        }
        self.service = service
        self.account = account
        self.kind = kind
    }

    /// Returns the reference of the raw key of one key slot of a sealed database.
    ///
    /// - Parameter slotID: the slot's id, 16 bytes.
    /// - Returns: the reference, of kind `slot-key`, without an account.
    public static func slotKey(_ slotID: [UInt8]) -> CredentialReference {
        CredentialReference(slotService: .keySlot(slotID))
    }

    private init(slotService: CredentialService) {
        service = slotService
        account = ""
        kind = .slotKey
    }

    /// The reference in the form used by messages, for example `"https://sync.example.com/notes" for "ana" (password)`.
    public var description: String {
        account.isEmpty ? "\"\(service)\" (\(kind.rawValue))" : "\"\(service)\" for \"\(account)\" (\(kind.rawValue))"
    }
}

extension CredentialReference {
    /// The label for an item that was saved without one.
    var standardLabel: String { label(naming: "\(service)") }

    /// Returns the label of an item that is saved without one, with `name` in place of the service.
    package func label(naming name: String) -> String {
        let what =
            switch kind {
            case .password: "password"
            case .session: "session"
            case .clientIdentity: "client identity"
            case .bearer: "bearer token"
            case .slotKey: "database key"
            }
        return account.isEmpty ? "Sealite \(what) for \(name)" : "Sealite \(what) of \(account) for \(name)"
    }
}
