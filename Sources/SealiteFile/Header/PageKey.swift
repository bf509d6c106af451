package import SealiteCrypto

/// The page key of one epoch. A separate key is derived from it for each ``KeyUse``, such as pages or WAL frames.
package final class PageKey: Sendable {
    let key: SecretBytes

    init(key: consuming SecretBytes) { self.key = key }

    static func random() throws(CryptoError) -> PageKey { PageKey(key: try SecretBytes.random(byteCount: 32)) }

    package func derive(_ label: String, databaseID: [UInt8]) throws(CryptoError) -> SecretBytes {
        try HKDF.deriveKey(inputKeyMaterial: key, salt: databaseID, info: Array(label.utf8), byteCount: 32)
    }
}
