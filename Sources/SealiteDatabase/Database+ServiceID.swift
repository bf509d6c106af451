internal import SealiteCrypto
package import SealiteFile

extension Database {
    /// The id that the credentials that serve this database are bound to in a credential store: 32 hex digits. Not a secret.
    ///
    /// It follows from the private UUID (Documentation/DocumentFormat.md §3.1): a backup, a restore, a rotation of the keys and a
    /// salvage keep it, so that passwords and certificate of a server are still found; a ``copy(to:slot:options:)`` is another
    /// database and gets another.
    ///
    /// - Throws: `corruptData` where the UUID is lost, and what reading throws.
    public func serviceID() throws -> String { try Self.serviceID(privateUUID: try privateUUID()) }

    /// The service id of the document database on a connection; nil where it has no private UUID.
    ///
    /// - Throws: `SealedFileError`, as reading does.
    package static func serviceID(of connection: RawConnection) throws(SealedFileError) -> String? {
        var uuid: [UInt8]?
        try connection.query("SELECT value FROM properties WHERE name = 'privateUUID'") {
            (row) throws(SealedFileError) in uuid = row.blob(0)
        }
        guard let uuid, uuid.count == 16 else { return nil }
        do throws(CryptoError) {
            return try serviceID(privateUUID: uuid)
        } catch {
            throw SealedFileError(.internalFailure, "deriving the service id failed: \(error.reason)")
        }
    }

    private static func serviceID(privateUUID: [UInt8]) throws(CryptoError) -> String {
        let id = try HKDF.deriveKey(
            inputKeyMaterial: unsafe SecretBytes(copying: privateUUID.span.bytes),
            info: Array("Sealite 1 service id".utf8),
            byteCount: 16)
        return unsafe id.withUnsafeBytes { unsafe Array($0) }.hex
    }
}
