package import SealiteCrypto

/// The stored form of credentials: Documentation/Credentials.md §3.
package enum CredentialRecord {
    /// The maximum size of a record, in bytes: 1 MiB.
    package static let maximumByteCount = 1 << 20
    /// The version of the JSON records that this program writes, and the only one that it reads.
    static let version: Int64 = 1

    /// Returns the stored form of a credential.
    ///
    /// - Throws: `invalidArgument` if the credential isn't valid for its kind (empty, or with characters that would end
    ///   a header), `tooLarge`.
    package static func encode(
        _ credential: consuming Credential, for reference: CredentialReference
    ) throws(CredentialError) -> SecretBytes {
        let record: SecretBytes
        switch consume credential {
        case .password(let secret):
            guard secret.byteCount > 0 else { throw CredentialError(.invalidArgument, "the password is empty") }
            record = secret
        case .bearer(let token):
            guard isVisible(token) else { throw CredentialError(.invalidArgument, notToken) }
            record = token
        case .session(let session): record = try SessionRecord.encode(session)
        case .clientIdentity(let identity): record = try ClientIdentityRecord.encode(identity)
        case .slotKey(let key):
            guard reference == .slotKey(key.slotID) else {
                throw CredentialError(
                    .invalidArgument,
                    "a slot key is kept under its own slot, \(CredentialReference.slotKey(key.slotID))")
            }
            record = try SlotKeyRecord.encode(key)
        }
        guard record.byteCount <= maximumByteCount else {
            throw CredentialError(
                .tooLarge, "the credential takes \(record.byteCount) bytes; the limit is \(maximumByteCount)")
        }
        return record
    }

    /// Returns the credential in a stored form.
    ///
    /// - Throws: `damaged` if the bytes aren't a credential of the kind, `unsupportedVersion`.
    package static func decode(
        _ record: consuming SecretBytes, for reference: CredentialReference
    ) throws(CredentialError)
        -> Credential
    {
        let kind = reference.kind
        guard record.byteCount > 0 else { throw CredentialError.damaged("\(kind.phrase) of 0 bytes is stored") }
        guard record.byteCount <= maximumByteCount else {
            throw CredentialError.damaged(
                "\(kind.phrase) of \(record.byteCount) bytes is stored; the limit is \(maximumByteCount)")
        }
        switch kind {
        case .password: return .password(record)
        case .bearer:
            guard isVisible(record) else { throw CredentialError.damaged("what is stored: \(notToken)") }
            return .bearer(record)
        case .session: return .session(try SessionRecord.decode(record))
        case .clientIdentity: return .clientIdentity(try ClientIdentityRecord.decode(record))
        case .slotKey:
            let key = try SlotKeyRecord.decode(record)
            guard reference == .slotKey(key.slotID) else {
                throw CredentialError.damaged("the stored slot key is that of another slot")
            }
            return .slotKey(key)
        }
    }

    private static let notToken = "a bearer token has only visible ASCII characters, at least one"

    /// Returns whether the secret consists of visible ASCII characters, at least one, and so can't end a header or
    /// field.
    private static func isVisible(_ secret: borrowing SecretBytes) -> Bool {
        unsafe secret.withUnsafeBytes { bytes in
            unsafe !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) }
        }
    }
}
