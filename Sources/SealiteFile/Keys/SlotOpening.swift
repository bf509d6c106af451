public import SealiteCrypto

/// Opens and creates key slots. `Documentation/FORMAT.md` §5.
package enum SlotOpening {
    /// The result of opening a slot: the file's master key, and the key-encryption key that unwrapped it, if the kind
    /// of secret has one.
    package struct Opened: Sendable {
        package let master: MasterKey
        let kek: SlotKEK?
        let slotID: [UInt8]
        /// The identities of all slots of the recovery key that opened the file; empty if another secret did.
        let recoverySlots: [RecoverySlotName]

        init(master: MasterKey, kek: SlotKEK?, slotID: [UInt8], recoverySlots: [RecoverySlotName] = []) {
            self.master = master
            self.kek = kek
            self.slotID = slotID
            self.recoverySlots = recoverySlots
        }

        /// Creates the result for a master key that another handle has already unlocked with the slot `slotID`.
        package init(master: MasterKey, slotID: [UInt8]) {
            self.init(master: master, kek: nil, slotID: slotID)
        }
    }

    /// Tries the secret on the slots of its kind, in order, until one accepts it. Throws `wrongKey` if none does, and
    /// `costRefused` before it tries a slot that would exceed the limits.
    package static func open(
        _ content: HeaderContent, with secret: borrowing UnlockKey, limits: UnlockLimits
    ) throws(SealedFileError) -> Opened {
        let kind = secret.kind
        try check(secret)
        switch secret {
        case .recoveryKey(let key): return try open(content, recoveryKey: key, limits: limits)
        case .passphrase: break
        case .rawKey: break
        }
        var budget = UnlockBudget(limits: limits)
        var tried = 0
        for (index, slot) in content.slots.enumerated() {
            guard let slot, slot.kind == kind, limits.slotNumber ?? (index + 1) == index + 1 else { continue }
            try budget.admit(slot, number: index + 1, content: content)
            tried += 1
            if let opened = try SealedFileError.mappingCrypto({ () throws(CryptoError) in
                try open(slot, with: secret, masterID: content.masterID, limits: limits)
            }) {
                return opened
            }
        }
        throw .wrongKey(tried: tried, kind: kind, slotNumber: limits.slotNumber, in: content)
    }

    private static func open(
        _ slot: KeySlot, with secret: borrowing UnlockKey, masterID: [UInt8], limits: UnlockLimits
    ) throws(CryptoError) -> Opened? {
        switch secret {
        case .passphrase(let passphrase):
            guard let cost = slot.cost else { return nil }
            let key = try Scrypt.deriveKey(
                passphrase: passphrase, salt: slot.salt, cost: cost, byteCount: 32, memoryLimit: limits.kdfMemoryLimit)
            return try open(slot, kek: SlotKEK(slotID: slot.id, key: key), masterID: masterID)
        case .rawKey(let rawKey):
            return try open(slot, kek: try rawKEK(rawKey, slot: slot), masterID: masterID)
        case .recoveryKey: return nil
        }
    }

    private static func open(_ slot: KeySlot, kek: SlotKEK, masterID: [UInt8]) throws(CryptoError) -> Opened? {
        guard let master = try kek.open(slot, masterID: masterID) else { return nil }
        return Opened(master: master, kek: kek, slotID: slot.id)
    }

    private static func rawKEK(_ rawKey: borrowing SecretBytes, slot: KeySlot) throws(CryptoError) -> SlotKEK {
        let key = try HKDF.deriveKey(
            inputKeyMaterial: rawKey, salt: slot.salt, info: Array("Sealite 1 raw slot key".utf8), byteCount: 32)
        return SlotKEK(slotID: slot.id, key: key)
    }

    /// A new slot and its key-encryption key, with which a handle can follow rotations. The key is nil for a recovery
    /// slot.
    struct Made {
        let slot: KeySlot
        let kek: SlotKEK?
    }

    /// Creates a slot for a new secret. With `id` nil the slot gets a random id; a slot whose secret is replaced keeps
    /// its id, which is then passed.
    static func make(
        _ secret: borrowing NewSlotSecret, label: String, id: [UInt8]? = nil, master: MasterKey, databaseID: [UInt8]
    ) throws(SealedFileError) -> Made {
        try check(secret)
        try checkLabel(label)
        return try SealedFileError.mappingCrypto { () throws(CryptoError) -> Made in
            var kek: SlotKEK?
            let slotID = if let id { id } else { try SecureRandom.bytes(16) }
            assert(slotID.count == 16)
            var slot = KeySlot(
                id: slotID, kind: secret.kind, cost: nil, label: label, salt: try SecureRandom.bytes(32),
                nonce: [UInt8](repeating: 0, count: 24), wrapped: [UInt8](repeating: 0, count: 48),
                checkValue: [UInt8](repeating: 0, count: 32), encapsulatedKey: [UInt8](repeating: 0, count: 32))
            switch secret {
            case .passphrase(let passphrase):
                slot.cost = passphrase.cost
                let key = try Scrypt.deriveKey(passphrase: passphrase.bytes, salt: slot.salt, cost: passphrase.cost)
                kek = SlotKEK(slotID: slot.id, key: key)
            case .rawKey(let rawKey):
                kek = try rawKEK(rawKey, slot: slot)
            case .recovery(let recoveryKey):
                slot.salt = recoveryKey.publicKey
                let secret = try RecoverySecret(of: slot, privateKey: recoveryKey.privateKey)
                try seal(master, to: &slot, with: secret, databaseID: databaseID)
            }
            assert((kek == nil) == (slot.kind == .recovery), "a handle keeps no key of a recovery slot")
            try kek?.wrap(master, into: &slot)
            return Made(slot: slot, kek: kek)
        }
    }
}

extension SlotOpening {
    private static func check(_ secret: borrowing UnlockKey) throws(SealedFileError) {
        switch secret {
        case .passphrase(let passphrase): try checkPassphrase(byteCount: passphrase.byteCount)
        case .rawKey(let key): try checkKey(byteCount: key.byteCount, name: "raw key")
        case .recoveryKey: break
        }
    }

    private static func check(_ secret: borrowing NewSlotSecret) throws(SealedFileError) {
        switch secret {
        case .passphrase(let passphrase): try checkPassphrase(byteCount: passphrase.bytes.byteCount)
        case .rawKey(let key): try checkKey(byteCount: key.byteCount, name: "raw key")
        case .recovery: break
        }
    }

    private static func checkPassphrase(byteCount: Int) throws(SealedFileError) {
        guard (1...1024).contains(byteCount) else {
            throw SealedFileError(.invalidArgument, "a passphrase has 1 to 1024 bytes, not \(byteCount)")
        }
    }

    private static func checkKey(byteCount: Int, name: String) throws(SealedFileError) {
        guard byteCount == 32 else {
            throw SealedFileError(.invalidArgument, "a \(name) has 32 bytes, not \(byteCount)")
        }
    }

    static func checkLabel(_ label: String) throws(SealedFileError) {
        guard label.utf8.count <= HeaderLayout.labelByteCount, !label.utf8.contains(0) else {
            throw SealedFileError(
                .invalidArgument, "the label of a key slot has at most 32 bytes of UTF-8, and no NUL byte")
        }
    }
}

extension SealedFileError {
    /// Returns the error for a secret that opens no slot. An unfinished key rotation, which has replaced the slots, is
    /// named: the secret may be that of a former slot.
    static func wrongKey(
        tried: Int, kind: SlotKind, slotNumber: Int?, in content: HeaderContent
    ) -> SealedFileError {
        let isRotating = content.rotation != nil
        let end = isRotating ? "; a key rotation of the file has begun and hasn't ended" : ""
        let hint = (isRotating ? FileRemedy.useKeyOfRotation : .listSlots).hint
        let secret = kind.secretName
        if let slotNumber {
            return SealedFileError(
                .wrongKey,
                (tried == 0
                    ? "key slot \(slotNumber) doesn't exist, or doesn't take a \(secret)"
                    : "key slot \(slotNumber) doesn't accept this \(secret)") + end,
                hint: hint)
        }
        return SealedFileError(
            .wrongKey,
            (tried == 0
                ? "no key slot takes a \(secret)" : "no key slot accepts this \(secret) (\(tried) tried)") + end,
            hint: hint)
    }
}

/// A secret that opens a key slot.
public enum UnlockKey: ~Copyable, Sendable {
    /// A passphrase of 1 to 1024 bytes, used without Unicode normalisation.
    case passphrase(SecretBytes)
    /// A raw key of 32 bytes.
    case rawKey(SecretBytes)
    /// A recovery key, which opens a recovery slot.
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

/// Limits on the cost of one attempt to unlock.
public struct UnlockLimits: Sendable {
    /// The maximum memory in bytes for scrypt on one slot. The limit on scrypt's work increases in proportion.
    public var kdfMemoryLimit: Int
    /// The number of the only slot to try, as in ``SlotInfo/number``; nil to try all slots.
    public var slotNumber: Int?

    /// Creates limits. By default, scrypt may use 1 GiB, and all slots of the key's kind are tried.
    public init(kdfMemoryLimit: Int = Scrypt.defaultMemoryLimit, slotNumber: Int? = nil) {
        self.kdfMemoryLimit = kdfMemoryLimit
        self.slotNumber = slotNumber
    }
}

/// The sum of the costs of the slots that one attempt to unlock has tried, compared with the limits of the attempt.
struct UnlockBudget {
    private var spent = 0
    private let ceiling: Int
    private let limits: UnlockLimits

    init(limits: UnlockLimits) {
        self.limits = limits
        ceiling = 2 * Scrypt.workLimit(memoryLimit: limits.kdfMemoryLimit)
    }

    /// Adds a slot's cost to the sum before the slot is tried. Throws `costRefused` if the slot alone exceeds the
    /// limits on one slot, or if the sum exceeds twice the limit on work.
    mutating func admit(_ slot: KeySlot, number: Int, content: HeaderContent) throws(SealedFileError) {
        guard let cost = slot.cost else { return }
        assert(number >= 1 && number <= HeaderLayout.slotCount)
        do throws(CryptoError) {
            try cost.check(memoryLimit: limits.kdfMemoryLimit)
        } catch {
            throw SealedFileError(
                .costRefused, "key slot \(number): \(error.reason)",
                hint: FileRemedy.raiseKeyMemory.hint)
        }
        let work = cost.work ?? .max
        guard work <= ceiling - spent else {
            let rest = content.slots.dropFirst(number - 1).filter { $0?.kind == slot.kind }.count
            throw SealedFileError(
                .costRefused, "trying every key slot would take too much time: \(rest) not tried",
                hint: FileRemedy.nameSlot.hint)
        }
        spent += work
    }
}
