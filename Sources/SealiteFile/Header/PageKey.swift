package import SealiteCrypto

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
