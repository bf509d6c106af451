import SealiteCrypto

/// The identity of a recovery slot: id and public key together, since neither alone identifies it.
package struct RecoverySlotName: Hashable, Sendable {
    let id: [UInt8]
    let publicKey: [UInt8]
}

extension KeySlot {
    /// The recovery slot's identity; nil for slots of other kinds.
    var recoveryName: RecoverySlotName? {
        switch kind {
        case .recovery: RecoverySlotName(id: id, publicKey: salt)
        case .passphrase, .rawKey: nil
        }
    }
}

extension HeaderContent {
    /// The identities of the recovery slots.
    var recoveryNames: Set<RecoverySlotName> { Set(slots.compactMap { $0?.recoveryName }) }
}

extension SlotOpening {
    private static func info(_ databaseID: [UInt8]) -> [UInt8] {
        Array("Sealite 1 authenticated recovery".utf8) + databaseID
    }

    private static let exporterContext = Array("Sealite 1 authenticated recovery slot key".utf8)

    // MARK: Sealing

    /// Seals a master key into a recovery slot whose id, label and public key are set. Sealing requires the slot's
    /// recovery secret, which the slot contains, wrapped under the master key.
    static func seal(
        _ master: MasterKey, to slot: inout KeySlot, with secret: RecoverySecret, databaseID: [UInt8]
    ) throws(CryptoError) {
        var context = try HPKE.Sender(
            to: slot.salt, info: info(databaseID), preSharedKey: try secret.preSharedKey())
        slot.encapsulatedKey = context.encapsulatedKey
        let binding = slot.headerBytes + master.id
        slot.wrapped = unsafe try master.key.withUnsafeBytes { (bytes) throws(CryptoError) in
            unsafe try context.seal(bytes, associatedData: binding)
        }
        let kek = SlotKEK(slotID: slot.id, key: try context.export(context: exporterContext, byteCount: 32))
        slot.checkValue = try kek.checkValue(for: slot, masterID: master.id)
        try secret.wrap(into: &slot, under: master, databaseID: databaseID)
    }

    // MARK: Opening

    /// Unlocks a header with a recovery key's private half. Throws `wrongKey` if no slot has its public half, and
    /// `tamperedHeader` if the first slot that has it is forged. `Documentation/FORMAT.md` §5.3.
    static func open(
        _ content: HeaderContent, recoveryKey: RecoveryKey, limits: UnlockLimits
    ) throws(SealedFileError) -> Opened {
        let recovery = content.slots.enumerated().compactMap { (index, slot) in
            slot.flatMap { slot in slot.recoveryName.map { (number: index + 1, name: $0, slot: slot) } }
        }
        let own = recovery.filter { $0.name.publicKey == recoveryKey.publicKey }
        guard let chosen = own.first(where: { limits.slotNumber ?? $0.number == $0.number }) else {
            let tried = recovery.count { limits.slotNumber ?? $0.number == $0.number }
            throw .wrongKey(tried: tried, kind: .recovery, slotNumber: limits.slotNumber, in: content)
        }
        return Opened(
            master: try open(chosen.slot, chosen.number, content, recoveryKey.privateKey), kek: nil,
            slotID: chosen.slot.id, recoverySlots: own.map(\.name))
    }

    /// Opens a slot of the recovery key. A failure throws `tamperedHeader`, never `wrongKey`: the slot
    /// carries this key's public half, so if the private half doesn't open it, somebody without the recovery key wrote
    /// the slot.
    private static func open(
        _ slot: KeySlot, _ number: Int, _ content: HeaderContent, _ privateKey: borrowing SecretBytes
    ) throws(SealedFileError) -> MasterKey {
        do throws(CryptoError) {
            let secret = try RecoverySecret(of: slot, privateKey: privateKey)
            let context = try HPKE.Recipient(
                privateKey: privateKey, encapsulatedKey: slot.encapsulatedKey, info: info(content.databaseID),
                preSharedKey: try secret.preSharedKey())
            guard let master = try open(slot, context, exporterContext, masterID: content.masterID),
                try RecoverySecret(in: slot, under: master, databaseID: content.databaseID).isEqual(to: secret)
            else { throw CryptoError(.authenticationFailed, "the key slot wasn't made with this recovery key") }
            return master
        } catch {
            guard [.authenticationFailed, .invalidKey].contains(error.code) else {
                throw SealedFileError(crypto: error)
            }
            throw .forgedRecoverySlot(number)
        }
    }

    /// Unwraps the master key with the key-encryption key that the HPKE exchange exports; nil if the check value shows
    /// that the slot was sealed with another key-encryption key.
    private static func open(
        _ slot: KeySlot, _ context: consuming HPKE.Recipient, _ exporterContext: [UInt8], masterID: [UInt8]
    ) throws(CryptoError) -> MasterKey? {
        var context = context
        let kek = SlotKEK(slotID: slot.id, key: try context.export(context: exporterContext, byteCount: 32))
        guard try kek.accepts(slot, masterID: masterID) else { return nil }
        let key = try context.open(slot.wrapped, associatedData: slot.headerBytes + masterID)
        return MasterKey(id: masterID, key: key)
    }
}

extension SealedFileError {
    static func forgedRecoverySlot(_ number: Int) -> SealedFileError {
        SealedFileError(
            .tamperedHeader,
            "key slot \(number) has this recovery key's public half, but was created by someone without the recovery key",
            hint:
                "unlock the file with a passphrase or raw key, or restore it from a backup"
        )
    }
}

/// The secret that seals a recovery slot in addition to the public key, so that the public key alone can't create a
/// slot. It is derived from the private key and stored in the slot, wrapped under the master key.
/// `Documentation/FORMAT.md` §5.3.
final class RecoverySecret: Sendable {
    private let slotID: [UInt8]
    private let key: SecretBytes

    private init(slotID: [UInt8], key: consuming SecretBytes) {
        self.slotID = slotID
        self.key = key
    }

    /// Derives the secret of a slot from the private key.
    convenience init(of slot: KeySlot, privateKey: borrowing SecretBytes) throws(CryptoError) {
        self.init(
            slotID: slot.id,
            key: try HKDF.deriveKey(
                inputKeyMaterial: privateKey, salt: slot.id, info: Array("Sealite 1 recovery secret".utf8),
                byteCount: 32))
    }

    /// Unwraps the secret of a slot. Throws `authenticationFailed` if it isn't wrapped under this master key.
    convenience init(
        in slot: KeySlot, under master: MasterKey, databaseID: [UInt8]
    ) throws(CryptoError) {
        let wrappingKey = try Self.wrappingKey(slot, master, databaseID)
        self.init(slotID: slot.id, key: try AESKeyWrap.unwrap(slot.wrappedSecret, key: wrappingKey))
    }

    /// Wraps the secret into its slot under a master key.
    func wrap(
        into slot: inout KeySlot, under master: MasterKey, databaseID: [UInt8]
    ) throws(CryptoError) {
        slot.wrappedSecret = try AESKeyWrap.wrap(key, key: try Self.wrappingKey(slot, master, databaseID))
        assert(slot.wrappedSecret.count == 40)
    }

    private static func wrappingKey(
        _ slot: KeySlot, _ master: MasterKey, _ databaseID: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        assert(databaseID.count == 16 && master.id.count == 16, "ids of one length can't run into one another")
        return try master.subkey(
            Array("Sealite 1 recovery secret wrap".utf8) + databaseID + slot.headerBytes + master.id)
    }

    func preSharedKey() throws(CryptoError) -> HPKE.PreSharedKey {
        try HPKE.PreSharedKey(
            key.duplicate(), identifier: Array("Sealite 1 recovery secret".utf8) + slotID)
    }

    func isEqual(to other: RecoverySecret) -> Bool { key.isEqual(to: other.key) }
}
