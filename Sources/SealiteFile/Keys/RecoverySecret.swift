import SealiteCrypto

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
