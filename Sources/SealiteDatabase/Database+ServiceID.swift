internal import SealiteCrypto
package import SealiteFile

extension Database {
    /// Returns the id under which a credential store keeps the credentials for serving this database: 32 hex digits.
    /// The id isn't secret.
    ///
    /// The id is derived from the private UUID (Documentation/DocumentFormat.md §3): a backup, a restore, a rotation
    /// of the keys and a salvage keep the id, so that a server's passwords and certificate are still found. A copy made
    /// with `copy(to:slot:options:)` is another database, and has another id.
    ///
    /// - Throws: `corruptData` if the UUID is missing, and errors from reading.
    public func serviceID() throws -> String { try Self.serviceID(privateUUID: try privateUUID()) }

    /// Returns the service id of the document database on a connection, under which the credentials for serving the
    /// database are kept; nil if the database has no private UUID.
    ///
    /// - Throws: `SealedFileError` if reading fails.
    package static func serviceID(of connection: RawConnection) throws(SealedFileError) -> String? {
        guard let uuid = try property("privateUUID", of: connection), uuid.count == 16 else { return nil }
        do throws(CryptoError) {
            return try serviceID(privateUUID: uuid)
        } catch {
            throw SealedFileError(
                .internalFailure,
                "deriving the id under which the database's credentials are stored failed: \(error.reason)")
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
