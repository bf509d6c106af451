internal import SealiteCrypto

/// The form in which a record is the secret of an item of the Secret Service (Documentation/Credentials.md §4).
///
/// GNOME Keyring writes a keyring without a password as a file of lines: there a line end in a secret makes the whole keyring
/// unreadable at the next login, and backslashes and spaces at either end aren't kept. A record with such bytes is written
/// as Base64 after a mark.
enum KeyringText {
    private static let mark = Array("sealite:base64:".utf8)

    /// The greatest length of a form in bytes.
    static var maximumByteCount: Int { mark.count + Base64.encodedByteCount(Credential.maximumRecordByteCount) }

    /// Returns the form of a record: the record itself if every keyring keeps it as it is.
    static func form(of record: borrowing SecretBytes) -> SecretBytes {
        guard !isKept(record) else { return record.duplicate() }
        return RecordWriter.write([.text(String(decoding: mark, as: UTF8.self)), .base64Secret], record)
    }

    /// Returns the record of a form. Throws `damaged` if Base64 is marked and something else follows.
    static func record(of form: consuming SecretBytes) throws(CredentialError) -> SecretBytes {
        let isMarked = unsafe form.withUnsafeBytes { unsafe $0.starts(with: mark) }
        guard isMarked else { return form }
        let text = unsafe form.withUnsafeBytes {
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[mark.count...]))
        }
        guard let record = Base64.decode(text), record.byteCount > 0 else {
            throw CredentialError.damaged("the stored secret isn't the Base64 that it says it is")
        }
        return record
    }

    /// Returns whether a record is text in UTF-8 without control characters and backslashes, without spaces at either end,
    /// and without the mark.
    private static func isKept(_ record: borrowing SecretBytes) -> Bool {
        unsafe record.withUnsafeBytes { bytes in
            guard let first = unsafe bytes.first, let last = unsafe bytes.last, first != 0x20, last != 0x20 else {
                return false
            }
            return unsafe !bytes.starts(with: mark)
                && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
                && String(validating: bytes, as: UTF8.self) != nil
        }
    }
}
