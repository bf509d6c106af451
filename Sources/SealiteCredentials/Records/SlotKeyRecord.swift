internal import SealiteCrypto

/// The stored form of a slot key, a JSON object, and its conversion (Documentation/Credentials.md §3.4).
enum SlotKeyRecord {
    private static let idByteCount = 16
    private static let keyByteCount = 32

    static func encode(_ slotKey: consuming SlotKeyCredential) throws(CredentialError) -> SecretBytes {
        guard slotKey.slotID.count == idByteCount, slotKey.databaseID.count == idByteCount,
            slotKey.key.byteCount == keyByteCount
        else {
            throw CredentialError(
                .invalidArgument,
                "a slot key has a slot id and a database id of \(idByteCount) bytes and a key of \(keyByteCount) bytes; this "
                    + "one has a slot id of \(slotKey.slotID.count), a database id of \(slotKey.databaseID.count) and a key "
                    + "of \(slotKey.key.byteCount) bytes")
        }
        let start =
            "{\"version\":\(Credential.recordVersion),\"slotID\":\"\(Base64.encode(slotKey.slotID))\","
            + "\"databaseID\":\"\(Base64.encode(slotKey.databaseID))\",\"key\":\""
        return RecordWriter.write([.text(start), .base64Secret, .text("\"}")], slotKey.key)
    }

    static func decode(_ record: borrowing SecretBytes) throws(CredentialError) -> SlotKeyCredential {
        var slotID: SecretBytes?
        var databaseID: SecretBytes?
        var key: SecretBytes?
        try RecordReader.read(record, .slotKey) { name, reader throws(CredentialError) in
            switch name {
            case "slotID": slotID = try reader.readBase64(name)
            case "databaseID": databaseID = try reader.readBase64(name)
            case "key": key = try reader.readBase64(name)
            default: return false
            }
            return true
        }
        guard let slotID = slotID.take(), let databaseID = databaseID.take(), let key = key.take() else {
            throw CredentialError.damaged("the stored slot key lacks its \"slotID\", \"databaseID\" or \"key\"")
        }
        guard slotID.byteCount == idByteCount, databaseID.byteCount == idByteCount, key.byteCount == keyByteCount else {
            throw CredentialError.damaged(
                "the stored slot key has a slot id of \(slotID.byteCount), a database id of \(databaseID.byteCount) and a key "
                    + "of \(key.byteCount) bytes; \(idByteCount), \(idByteCount) and \(keyByteCount) bytes are required"
            )
        }
        return SlotKeyCredential(slotID: bytes(slotID), databaseID: bytes(databaseID), key: key)
    }

    /// Returns the bytes of an id, which isn't secret.
    private static func bytes(_ id: borrowing SecretBytes) -> [UInt8] {
        unsafe id.withUnsafeBytes { unsafe Array($0) }
    }
}
