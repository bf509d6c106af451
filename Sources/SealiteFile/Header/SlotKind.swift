internal import SealiteCrypto

/// The kind of secret that opens a key slot.
///
/// Every decision about a kind is an exhaustive `switch`, so that the compiler names the places that a new kind needs:
/// a kind is never treated as another one.
public enum SlotKind: UInt32, Sendable, CaseIterable {
    /// A passphrase, stretched by scrypt.
    case passphrase = 1
    /// 32 random bytes.
    case rawKey = 2
    /// An X25519 private key kept on paper; the header holds its public half. Writing such a slot takes the private key
    /// or, for a slot that the file already has, the file's master key.
    case recovery = 4

    /// The number of a kind that was removed before the first release: recovery slots that anyone who knew the public
    /// key could create. A header with such a slot is refused as a whole, and the number is never used again.
    static let removedRecovery: UInt32 = 3

    /// The name that the command line and JSON reports use.
    public var name: String {
        switch self {
        case .passphrase: "passphrase"
        case .rawKey: "raw-key"
        case .recovery: "recovery"
        }
    }

    /// The kind of secret, as in a sentence.
    package var secretName: String {
        switch self {
        case .passphrase: "passphrase"
        case .rawKey: "raw key"
        case .recovery: "recovery key"
        }
    }
}
