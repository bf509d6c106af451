package import SealiteCrypto

// The stored form of credentials: Documentation/Credentials.md §3.
extension Credential {
    /// The maximum size of a record, the stored form of a credential, in bytes: 1 MiB.
    package static var maximumRecordByteCount: Int { 1 << 20 }
    /// The version of the JSON records that is written, and the only one that is read.
    static var recordVersion: Int64 { 1 }

    /// Returns the credential's stored form (its record), to be saved under a reference.
    ///
    /// - Throws: `invalidArgument` if the credential can't be one of its kind (empty, or with characters that would end
    ///   a header) or is a slot key that the reference doesn't name; `tooLarge`.
    package consuming func record(for reference: CredentialReference) throws(CredentialError) -> SecretBytes {
        let record: SecretBytes
        switch consume self {
        case .password(let secret):
            guard secret.byteCount > 0 else { throw CredentialError(.invalidArgument, "the password is empty") }
            record = secret
        case .bearer(let token):
            guard Self.isVisible(token) else { throw CredentialError(.invalidArgument, Self.notToken) }
            record = token
        case .session(let session): record = try SessionRecord.encode(session)
        case .clientIdentity(let identity): record = try ClientIdentityRecord.encode(identity)
        case .slotKey(let key):
            guard reference == .slotKey(key.slotID) else {
                throw CredentialError(
                    .invalidArgument,
                    "the key of a database's key slot can be stored only under the name of that slot, "
                        + "\(CredentialReference.slotKey(key.slotID))"
                )
            }
            record = try SlotKeyRecord.encode(key)
        }
        guard record.byteCount <= Self.maximumRecordByteCount else {
            throw CredentialError(
                .tooLarge, "the credential takes \(record.byteCount) bytes; the limit is \(Self.maximumRecordByteCount)"
            )
        }
        return record
    }

    /// Reads a credential from its stored form.
    ///
    /// - Throws: `damaged` if the bytes aren't a credential of the reference's kind, or are the key of another slot;
    ///   `unsupportedVersion`.
    package init(record: consuming SecretBytes, for reference: CredentialReference) throws(CredentialError) {
        let kind = reference.kind
        guard record.byteCount > 0 else { throw CredentialError.damaged("\(kind.phrase) of 0 bytes is stored") }
        guard record.byteCount <= Self.maximumRecordByteCount else {
            throw CredentialError.damaged(
                "\(kind.phrase) of \(record.byteCount) bytes is stored; the limit is \(Self.maximumRecordByteCount)")
        }
        switch kind {
        case .password: self = .password(record)
        case .bearer:
            guard Self.isVisible(record) else {
                throw CredentialError.damaged("the stored item isn't a bearer token: \(Self.notToken)")
            }
            self = .bearer(record)
        case .session: self = .session(try SessionRecord.decode(record))
        case .clientIdentity: self = .clientIdentity(try ClientIdentityRecord.decode(record))
        case .slotKey:
            let key = try SlotKeyRecord.decode(record)
            guard reference == .slotKey(key.slotID) else {
                throw CredentialError.damaged(
                    "the stored item is the key of another key slot than the one that it is stored for")
            }
            self = .slotKey(key)
        }
    }

    private static var notToken: String {
        "a bearer token consists of one or more visible ASCII characters (0x21 to 0x7E)"
    }

    /// Returns whether the secret consists of visible ASCII characters, at least one, and so can't end a header or
    /// field.
    private static func isVisible(_ secret: borrowing SecretBytes) -> Bool {
        unsafe secret.withUnsafeBytes { bytes in
            unsafe !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) }
        }
    }
}
