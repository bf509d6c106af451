package import SealiteCrypto

/// A random key that a file carries for the program on top of it. It stays when keys are rotated and when the file is backed
/// up: only its wrapping changes. `Documentation/FORMAT.md` §4.6.
///
/// A class, so that a header that is made and the handle that reads it share one copy.
package final class ApplicationKey: Sendable {
    private let key: SecretBytes

    init(key: consuming SecretBytes) { self.key = key }

    /// A new random key, for a file that is made.
    package static func random() throws(SealedFileError) -> ApplicationKey {
        try SealedFileError.mappingCrypto { () throws(CryptoError) in
            ApplicationKey(key: try SecretBytes.random(byteCount: 32))
        }
    }

    /// The key of one use, 32 bytes. No two uses share a label.
    package func derive(_ label: String) throws(SealedFileError) -> SecretBytes {
        try SealedFileError.mappingCrypto { () throws(CryptoError) in
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
        Array("Sealite 1 application key".utf8) + databaseID + id
    }
}

extension KeyRing {
    /// The file's application key; nil where it was made without one.
    package func applicationKey() throws(SealedFileError) -> ApplicationKey? {
        let (master, content) = try masterKeyAndContent()
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try content.applicationKey.map { (wrapped) throws(CryptoError) in
                try master.unwrapApplicationKey(wrapped, databaseID: content.databaseID)
            }
        }
    }
}
