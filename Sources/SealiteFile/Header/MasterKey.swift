package import SealiteCrypto

/// The key that every key slot contains in encrypted form, and under which the page keys are encrypted.
/// `Documentation/FORMAT.md` §3.
///
/// A class, so that a key ring, a header edit and a rotation share one copy, which is wiped when the last reference is
/// released.
package final class MasterKey: Sendable {
    package let id: [UInt8]
    let key: SecretBytes

    init(id: [UInt8], key: consuming SecretBytes) {
        self.id = id
        self.key = key
        assert(id.count == 16 && self.key.byteCount == 32)
    }

    /// Generates a random master key.
    static func random() throws(CryptoError) -> MasterKey {
        MasterKey(id: try SecureRandom.bytes(16), key: try SecretBytes.random(byteCount: 32))
    }

    func authenticationCode(for bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        try HMACSHA256.authenticationCode(for: bytes, key: try subkey("Sealite 1 header MAC"))
    }

    func isAuthentic(_ code: [UInt8], for bytes: [UInt8]) throws(CryptoError) -> Bool {
        try HMACSHA256.isValid(code, for: bytes, key: try subkey("Sealite 1 header MAC"))
    }

    // MARK: Page keys

    func wrap(_ pageKey: PageKey, epoch: UInt32, databaseID: [UInt8]) throws(CryptoError) -> EpochRecord {
        assert(epoch > 0, "epochs are numbered from 1")
        let wrapped = try KeyWrap.wrap(
            pageKey.key, under: try subkey("Sealite 1 page key wrap"),
            associatedData: epochBinding(epoch, databaseID: databaseID))
        return EpochRecord(epoch: epoch, wrapped: wrapped)
    }

    func unwrap(_ record: EpochRecord, databaseID: [UInt8]) throws(CryptoError) -> PageKey {
        PageKey(
            key: try KeyWrap.unwrap(
                record.wrapped, under: try subkey("Sealite 1 page key wrap"),
                associatedData: epochBinding(record.epoch, databaseID: databaseID)))
    }

    private func epochBinding(_ epoch: UInt32, databaseID: [UInt8]) -> [UInt8] {
        assert(databaseID.count == 16, "ids of one length can't run into one another")
        return Array("Sealite 1 epoch".utf8) + databaseID + id + [UInt8].littleEndian(epoch)
    }

    // MARK: The bridge of a rotation

    /// Wraps the next master key under this one, for other processes' handles that have only this one when a rotation
    /// begins.
    func bridge(to next: MasterKey, databaseID: [UInt8]) throws(CryptoError) -> WrappedKey {
        assert(next.id != id && databaseID.count == 16, "a bridge leads to another master key")
        return try KeyWrap.wrap(
            next.key, under: try subkey("Sealite 1 next master wrap"),
            associatedData: Array("Sealite 1 bridge".utf8) + databaseID + id + next.id)
    }

    /// Unwraps the next master key from a rotation's bridge, which this master key wrapped.
    func cross(_ bridge: WrappedKey, to nextID: [UInt8], databaseID: [UInt8]) throws(CryptoError) -> MasterKey {
        assert(nextID != id && databaseID.count == 16, "a bridge leads to another master key")
        return MasterKey(
            id: nextID,
            key: try KeyWrap.unwrap(
                bridge, under: try subkey("Sealite 1 next master wrap"),
                associatedData: Array("Sealite 1 bridge".utf8) + databaseID + id + nextID))
    }

    func subkey(_ label: String) throws(CryptoError) -> SecretBytes { try subkey(Array(label.utf8)) }

    func subkey(_ info: [UInt8]) throws(CryptoError) -> SecretBytes {
        try HKDF.deriveKey(inputKeyMaterial: key, salt: [], info: info, byteCount: 32)
    }
}

/// Wraps keys, that is, encrypts them under another key, with XAES-256-GCM.
enum KeyWrap {
    static func wrap(
        _ secret: borrowing SecretBytes, under key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> WrappedKey {
        assert(secret.byteCount == 32, "every wrapped key has 32 bytes")
        assert(!associatedData.isEmpty, "a wrapped key is bound to its place")
        let box = try XAES256GCM.seal(secret, key: key, associatedData: associatedData)
        return WrappedKey(nonce: box.nonce, sealed: box.ciphertext + box.tag)
    }

    /// Unwraps a key. Throws `authenticationFailed` if the key or the associated data doesn't match.
    static func unwrap(
        _ wrapped: WrappedKey, under key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        assert(wrapped.nonce.count == 24 && wrapped.sealed.count == 48)
        let box = SealedBox(
            nonce: wrapped.nonce, ciphertext: wrapped.sealed.slice(0, 32), tag: wrapped.sealed.slice(32, 16))
        return try XAES256GCM.open(box, key: key, associatedData: associatedData)
    }
}

/// The random key from which the encryption keys of one epoch, the time between two key rotations, are derived: a
/// separate one for each `KeyUse`, such as pages or WAL frames.
package final class PageKey: Sendable {
    let key: SecretBytes

    init(key: consuming SecretBytes) {
        self.key = key
        assert(self.key.byteCount == 32)
    }

    static func random() throws(CryptoError) -> PageKey { PageKey(key: try SecretBytes.random(byteCount: 32)) }

    package func derive(_ label: String, databaseID: [UInt8]) throws(CryptoError) -> SecretBytes {
        assert(!label.isEmpty && databaseID.count == 16, "each use in each database has a key of its own")
        return try HKDF.deriveKey(inputKeyMaterial: key, salt: databaseID, info: Array(label.utf8), byteCount: 32)
    }
}
