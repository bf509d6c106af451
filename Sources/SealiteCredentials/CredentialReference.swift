public import FoundationEssentials

/// The identity of a credential: its service, account and kind. None of it is secret.
public struct CredentialReference: Sendable, Hashable, CustomStringConvertible {
    /// The purpose of the credential.
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
                "the account has \(account.utf8.count) bytes; the limit is \(Self.maximumAccountByteCount)")
        }
        guard !account.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw CredentialError(.invalidArgument, "the account holds a control character")
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

/// The description of a stored item without its secret.
public struct CredentialMetadata: Sendable, Hashable {
    /// The reference of the credential.
    public let reference: CredentialReference
    /// The label that the desktop's password manager shows. It isn't secret.
    public let label: String
    /// The time at which the item was created; nil if the store doesn't know.
    public let created: Date?
    /// The time at which the item was last changed; nil if the store doesn't know.
    public let modified: Date?
    /// A Boolean value that says whether the item must be unlocked before its secret can be read.
    public let isLocked: Bool

    /// Creates the description of an item; stores outside this package use this initializer too.
    public init(reference: CredentialReference, label: String, created: Date?, modified: Date?, isLocked: Bool) {
        self.reference = reference
        self.label = label
        self.created = created
        self.modified = modified
        self.isLocked = isLocked
    }
}

/// The items of a store, without secrets.
public struct CredentialListing: Sendable, Hashable {
    /// The items, ordered by service, account and kind. Items that share one reference are listed separately.
    public let items: [CredentialMetadata]
    /// A Boolean value that says whether the items are complete: false if a part of the store is locked and may contain
    /// more.
    public let isComplete: Bool

    /// Creates a listing and sorts the items; stores outside this package use this initializer too.
    public init(items: [CredentialMetadata], isComplete: Bool) {
        self.items = items.sorted { left, right in
            let (a, b) = (left.reference, right.reference)
            return (a.service.canonical, a.account, a.kind.rawValue) < (b.service.canonical, b.account, b.kind.rawValue)
        }
        self.isComplete = isComplete
    }
}

extension CredentialReference {
    /// The label for an item that was saved without one.
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
