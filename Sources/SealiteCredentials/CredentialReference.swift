public import FoundationEssentials

/// How a credential is found: what it is for, whose it is, and of which kind. Nothing in it is secret.
public struct CredentialReference: Sendable, Hashable, CustomStringConvertible {
    /// What the credential is for.
    public let service: CredentialService
    /// Whose it is: a user name; empty where there is none.
    public let account: String
    /// Its kind.
    public let kind: CredentialKind

    /// The longest account, in UTF-8 bytes.
    public static let maximumAccountByteCount = 1024

    /// Makes a reference.
    ///
    /// - Throws: `invalidArgument` when the account is longer than 1,024 bytes or holds control characters.
    public init(service: CredentialService, account: String, kind: CredentialKind) throws(CredentialError) {
        guard account.utf8.count <= Self.maximumAccountByteCount else {
            throw CredentialError(
                .invalidArgument,
                "the account has \(account.utf8.count) bytes; the limit is \(Self.maximumAccountByteCount)")
        }
        guard !account.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw CredentialError(.invalidArgument, "the account holds a control character")
        }
        self.service = service
        self.account = account
        self.kind = kind
    }

    /// The reference of the raw key of one key slot of a sealed database.
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

    /// The reference as messages name it, for example `"https://sync.example.com/notes" for "ana" (password)`.
    public var description: String {
        account.isEmpty ? "\"\(service)\" (\(kind.rawValue))" : "\"\(service)\" for \"\(account)\" (\(kind.rawValue))"
    }
}

/// What a store says of an item without loading its secret.
public struct CredentialMetadata: Sendable, Hashable {
    /// How the credential is found.
    public let reference: CredentialReference
    /// What people see in the desktop's password manager. Not secret.
    public let label: String
    /// When the item was made, if the store knows.
    public let created: Date?
    /// When the item was last changed, if the store knows.
    public let modified: Date?
    /// Whether the item has to be unlocked before its secret can be read.
    public let isLocked: Bool

    /// Makes the description of an item; stores outside this package use it too.
    public init(reference: CredentialReference, label: String, created: Date?, modified: Date?, isLocked: Bool) {
        self.reference = reference
        self.label = label
        self.created = created
        self.modified = modified
        self.isLocked = isLocked
    }
}

/// What a store holds, without secrets.
public struct CredentialListing: Sendable, Hashable {
    /// The items, ordered by service, account and kind. Those that stand under one reference several times are listed
    /// as often.
    public let items: [CredentialMetadata]
    /// Whether these are all: false when a part of the store is locked and may hide items.
    public let isComplete: Bool

    /// Makes a listing, putting the items in order; stores outside this package use it too.
    public init(items: [CredentialMetadata], isComplete: Bool) {
        self.items = items.sorted { left, right in
            let (a, b) = (left.reference, right.reference)
            return (a.service.canonical, a.account, a.kind.rawValue) < (b.service.canonical, b.account, b.kind.rawValue)
        }
        self.isComplete = isComplete
    }
}

extension CredentialReference {
    /// The label of an item whose owner gave it none.
    var standardLabel: String {
        let what =
            switch kind {
            case .password: "password"
            case .session: "session"
            case .clientIdentity: "client identity"
            case .bearer: "bearer token"
            case .slotKey: "database key"
            }
        return account.isEmpty ? "Sealite \(what) for \(service)" : "Sealite \(what) of \(account) for \(service)"
    }
}
