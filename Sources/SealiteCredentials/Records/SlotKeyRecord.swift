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
                "a slot key has ids of \(idByteCount) bytes and a key of \(keyByteCount); this one has "
                    + "\(slotKey.slotID.count), \(slotKey.databaseID.count) and \(slotKey.key.byteCount)")
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
            throw CredentialError.damaged("the slot key record lacks \"slotID\", \"databaseID\" or \"key\"")
        }
        guard slotID.byteCount == idByteCount, databaseID.byteCount == idByteCount, key.byteCount == keyByteCount else {
            throw CredentialError.damaged(
                "the slot key record has ids of \(slotID.byteCount) and \(databaseID.byteCount) bytes and a key of "
                    + "\(key.byteCount); \(idByteCount), \(idByteCount) and \(keyByteCount) are required")
        }
        return SlotKeyCredential(slotID: bytes(slotID), databaseID: bytes(databaseID), key: key)
    }

    /// Returns the bytes of an id, which isn't secret.
    private static func bytes(_ id: borrowing SecretBytes) -> [UInt8] {
        unsafe id.withUnsafeBytes { unsafe Array($0) }
    }
}
