internal import SealiteCrypto

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
        assert(slot.id == slotID, "the key is that of this slot")
        assert(masterID.count == 16)
        let info = Array("Sealite 1 slot check".utf8) + slot.headerBytes + masterID
        let value = try HKDF.deriveKey(inputKeyMaterial: key, salt: [], info: info, byteCount: 32)
        return unsafe value.withUnsafeBytes { unsafe Array($0) }
    }

    private func wrappingKey() throws(CryptoError) -> SecretBytes {
        try HKDF.deriveKey(inputKeyMaterial: key, salt: [], info: Array("Sealite 1 slot wrap".utf8), byteCount: 32)
    }

    /// Wraps the master key into a slot whose header fields are set.
    func wrap(_ master: MasterKey, into slot: inout KeySlot) throws(CryptoError) {
        assert(slot.kind != .recovery, "a recovery slot is sealed by HPKE")
        let wrapped = try KeyWrap.wrap(
            master.key, under: try wrappingKey(), associatedData: slot.headerBytes + master.id)
        slot.nonce = wrapped.nonce
        slot.wrapped = wrapped.sealed
        slot.checkValue = try checkValue(for: slot, masterID: master.id)
        assert(slot.wrapped.count == KeySlot.wrappedByteCount && slot.checkValue.count == 32)
    }

    private func unwrap(_ slot: KeySlot, masterID: [UInt8]) throws(CryptoError) -> MasterKey {
        let wrapped = WrappedKey(nonce: slot.nonce, sealed: slot.wrapped)
        let key = try KeyWrap.unwrap(wrapped, under: try wrappingKey(), associatedData: slot.headerBytes + masterID)
        return MasterKey(id: masterID, key: key)
    }

    func accepts(_ slot: KeySlot, masterID: [UInt8]) throws(CryptoError) -> Bool {
        constantTimeEqual(try checkValue(for: slot, masterID: masterID), slot.checkValue)
    }

    /// Unwraps the master key of a slot; nil if the slot's check value shows that it was sealed under another key or
    /// altered.
    func open(_ slot: KeySlot, masterID: [UInt8]) throws(CryptoError) -> MasterKey? {
        try accepts(slot, masterID: masterID) ? try unwrap(slot, masterID: masterID) : nil
    }
}

/// Returns whether two byte strings are equal. The time doesn't depend on the content of strings of equal length.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
