public import SealiteCrypto

/// A secret that opens a key slot.
public enum UnlockKey: ~Copyable, Sendable {
    /// A passphrase of 1 to 1024 bytes, used without Unicode normalisation.
    case passphrase(SecretBytes)
    /// A raw key of 32 bytes.
    case rawKey(SecretBytes)
    /// A recovery key.
    case recoveryKey(RecoveryKey)

    /// The kind of slot that this key may open.
    public var kind: SlotKind {
        switch self {
        case .passphrase: .passphrase
        case .rawKey: .rawKey
        case .recoveryKey: .recovery
        }
    }
}

/// The secret of a slot to be made.
public enum NewSlotSecret: ~Copyable, Sendable {
    /// A passphrase and the cost of stretching it.
    case passphrase(NewPassphrase)
    /// A raw key of 32 bytes.
    case rawKey(SecretBytes)
    /// A recovery key. Creating the slot requires the private half, since the public half is readable in every header.
    case recovery(RecoveryKey)
}

extension NewSlotSecret {
    /// Returns the secret of a passphrase slot, in the same form as `UnlockKey`: `.passphrase(secret)`.
    ///
    /// - Parameters:
    ///   - bytes: a passphrase of 1 to 1024 bytes, taken as it is: no Unicode normalisation.
    ///   - cost: the cost of opening the slot.
    /// - Returns: the secret.
    public static func passphrase(
        _ bytes: consuming SecretBytes, cost: Scrypt.Cost = .default
    ) -> NewSlotSecret { .passphrase(NewPassphrase(bytes, cost: cost)) }
}

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

/// Limits on the cost of one attempt to unlock.
public struct UnlockLimits: Sendable {
    /// The maximum memory in bytes for one slot's scrypt. The bound on its cost in time scales with it.
    public var kdfMemoryLimit: Int
    /// The number of the only slot to try, counted from 1 as listed; nil to try all.
    public var slotNumber: Int?
    /// A Boolean value that says whether a recovery slot of an earlier version, which doesn't prove who created the
    /// file, may open it; ``SealedDatabase/openingWarnings`` then reports it. By default it is false, and such a slot
    /// is refused as `unauthenticatedSlot`.
    public var acceptsUnauthenticatedSlots: Bool
    /// A Boolean value that says whether the caller vouches for a file that only such a slot opens, so that its keys
    /// may be changed and a freshness record of it written. Otherwise both are possible only once the handle has
    /// matched a freshness record of this version, or a rotation was given another secret. In a forged file, a change
    /// of keys gives the forger what later, undetectable forgeries need.
    public var trustsFile: Bool

    /// Creates limits. The defaults are those of `Documentation/FORMAT.md` §5.1, over all slots that the key may open.
    public init(
        kdfMemoryLimit: Int = Scrypt.defaultMemoryLimit, slotNumber: Int? = nil,
        acceptsUnauthenticatedSlots: Bool = false, trustsFile: Bool = false
    ) {
        self.kdfMemoryLimit = kdfMemoryLimit
        self.slotNumber = slotNumber
        self.acceptsUnauthenticatedSlots = acceptsUnauthenticatedSlots
        self.trustsFile = trustsFile
    }
}

/// The key-encryption key of a slot, kept by a handle so that it can follow a rotation without the passphrase.
final class SlotKEK: Sendable {
    let slotID: [UInt8]
    private let key: SecretBytes

    init(slotID: [UInt8], key: consuming SecretBytes) {
        self.slotID = slotID
        self.key = key
    }

    /// Computes the value that commits to the key, since AES-GCM alone isn't key-committing. `Documentation/FORMAT.md`
    /// §5.2.
    func checkValue(for slot: KeySlot, masterID: [UInt8]) throws(CryptoError) -> [UInt8] {
        let info = Array("Sealite 1 slot check".utf8) + slot.headerBytes + masterID
        let value = try HKDF.deriveKey(inputKeyMaterial: key, salt: [], info: info, byteCount: 32)
        return unsafe value.withUnsafeBytes { unsafe Array($0) }
    }

    private func wrappingKey() throws(CryptoError) -> SecretBytes {
        try HKDF.deriveKey(inputKeyMaterial: key, salt: [], info: Array("Sealite 1 slot wrap".utf8), byteCount: 32)
    }

    /// Wraps the master key into a slot whose header fields are set.
    func wrap(_ master: MasterKey, into slot: inout KeySlot) throws(CryptoError) {
        let wrapped = try KeyWrap.wrap(
            master.key, under: try wrappingKey(), associatedData: slot.headerBytes + master.id)
        slot.nonce = wrapped.nonce
        slot.wrapped = wrapped.sealed
        slot.checkValue = try checkValue(for: slot, masterID: master.id)
    }

    private func unwrap(_ slot: KeySlot, masterID: [UInt8]) throws(CryptoError) -> MasterKey {
        let wrapped = WrappedKey(nonce: slot.nonce, sealed: slot.wrapped)
        let key = try KeyWrap.unwrap(wrapped, under: try wrappingKey(), associatedData: slot.headerBytes + masterID)
        return MasterKey(id: masterID, key: key)
    }

    func accepts(_ slot: KeySlot, masterID: [UInt8]) throws(CryptoError) -> Bool {
        constantTimeEqual(try checkValue(for: slot, masterID: masterID), slot.checkValue)
    }

    /// Unwraps the master key of a slot; nil if the slot was altered.
    func open(_ slot: KeySlot, masterID: [UInt8]) throws(CryptoError) -> MasterKey? {
        try accepts(slot, masterID: masterID) ? try unwrap(slot, masterID: masterID) : nil
    }
}

/// Compares two byte strings of equal length in constant time.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
