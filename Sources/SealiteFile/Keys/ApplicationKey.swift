package import SealiteCrypto

/// A random key that the header contains in encrypted form, and from which the layers above the encrypted file derive
/// keys of their own. Key rotation and backup keep the key and change only its encryption. `Documentation/FORMAT.md`
/// §4.6.
///
/// A class, so that a header under construction and the handle that reads it share one copy.
package final class ApplicationKey: Sendable {
    private let key: SecretBytes

    init(key: consuming SecretBytes) {
        self.key = key
        assert(self.key.byteCount == 32)
    }

    /// Generates a random key, for a new file.
    package static func random() throws(SealedFileError) -> ApplicationKey {
        try SealedFileError.mappingCrypto { () throws(CryptoError) in
            ApplicationKey(key: try SecretBytes.random(byteCount: 32))
        }
    }

    /// Derives a key of 32 bytes for one use, which `label` names. Different labels give independent keys.
    package func derive(_ label: String) throws(SealedFileError) -> SecretBytes {
        assert(!label.isEmpty, "each use has a label of its own")
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try HKDF.deriveKey(
                inputKeyMaterial: key, salt: [], info: Array("Sealite 1 application \(label)".utf8), byteCount: 32)
        }
    }

    fileprivate func wrapped(
        under wrappingKey: borrowing SecretBytes, _ binding: [UInt8]
    ) throws(CryptoError) -> WrappedKey {
        try KeyWrap.wrap(key, under: wrappingKey, associatedData: binding)
    }

    fileprivate convenience init(
        _ wrapped: WrappedKey, under wrappingKey: borrowing SecretBytes, _ binding: [UInt8]
    ) throws(CryptoError) {
        self.init(key: try KeyWrap.unwrap(wrapped, under: wrappingKey, associatedData: binding))
    }
}

extension MasterKey {
    package func wrap(_ applicationKey: ApplicationKey, databaseID: [UInt8]) throws(CryptoError) -> WrappedKey {
        try applicationKey.wrapped(under: try subkey(Self.applicationKeyLabel), binding(databaseID))
    }

    func unwrapApplicationKey(_ wrapped: WrappedKey, databaseID: [UInt8]) throws(CryptoError) -> ApplicationKey {
        try ApplicationKey(wrapped, under: try subkey(Self.applicationKeyLabel), binding(databaseID))
    }

    private static var applicationKeyLabel: String { "Sealite 1 application key wrap" }

    private func binding(_ databaseID: [UInt8]) -> [UInt8] {
        assert(databaseID.count == 16, "ids of one length can't run into one another")
        return Array("Sealite 1 application key".utf8) + databaseID + id
    }
}

extension KeyRing {
    /// Returns the file's application key; nil if the file was created without one. Throws `locked` after the keys were
    /// wiped.
    package func applicationKey() throws(SealedFileError) -> ApplicationKey? {
        let (master, content) = try masterKeyAndContent()
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try content.applicationKey.map { (wrapped) throws(CryptoError) in
                try master.unwrapApplicationKey(wrapped, databaseID: content.databaseID)
            }
        }
    }
}
