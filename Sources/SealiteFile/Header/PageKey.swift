package import SealiteCrypto

/// The random key from which the encryption keys of one epoch, the time between two key rotations, are derived: a
/// separate one for each `KeyUse`, such as pages or WAL frames.
package final class PageKey: Sendable {
    let key: SecretBytes

    init(key: consuming SecretBytes) { self.key = key }

    static func random() throws(CryptoError) -> PageKey { PageKey(key: try SecretBytes.random(byteCount: 32)) }

    package func derive(_ label: String, databaseID: [UInt8]) throws(CryptoError) -> SecretBytes {
        try HKDF.deriveKey(inputKeyMaterial: key, salt: databaseID, info: Array(label.utf8), byteCount: 32)
    }
}
