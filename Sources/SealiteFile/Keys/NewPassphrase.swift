public import SealiteCrypto

/// A passphrase of 1 to 1024 bytes for a new slot, with the cost of scrypt.
public struct NewPassphrase: ~Copyable, Sendable {
    let bytes: SecretBytes
    let cost: Scrypt.Cost

    /// Creates a passphrase from bytes, without Unicode normalisation.
    public init(_ bytes: consuming SecretBytes, cost: Scrypt.Cost = .default) {
        self.bytes = bytes
        self.cost = cost
    }
}
