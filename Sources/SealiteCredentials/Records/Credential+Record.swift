internal import FoundationEssentials
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

    /// Decodes a record that a store returned; the reason of an error names the credential.
    init(read record: consuming SecretBytes, for reference: CredentialReference) throws(CredentialError) {
        do throws(CredentialError) {
            self = try Credential(record: record, for: reference)
        } catch {
            throw error.about(reference, "read")
        }
    }

    /// Decodes the record that a store's thread has handed over in a box.
    init(in box: SecretBox<SecretBytes>, for reference: CredentialReference) throws(CredentialError) {
        guard let record = box.take() else {
            throw CredentialError(
                .providerFailed, "the secret was read, but couldn't be handed over (an internal error)")
        }
        try self.init(read: record, for: reference)
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

/// The stored form of a session, a JSON object, and its conversion (Documentation/Credentials.md §3.2).
enum SessionRecord {
    /// The latest time that `expires` may name, in seconds since 1970: the end of the year 9999.
    private static let lastSecond: Int64 = 253_402_300_799

    static func encode(_ session: consuming SessionCredential) throws(CredentialError) -> SecretBytes {
        guard isCookieValue(session.sessionID) else {
            throw CredentialError(
                .invalidArgument, "the session id is empty or contains characters that a cookie can't have")
        }
        guard isToken(session.cookieName) else {
            throw CredentialError(
                .invalidArgument,
                "the cookie name of a session has to be 1 to 256 bytes of characters that a cookie name can have")
        }
        let start = "{\"version\":\(Credential.recordVersion),\"cookieName\":\"\(session.cookieName)\","
        let expiry =
            try session.expires.map { date throws(CredentialError) in "\"expires\":\(try seconds(date))," } ?? ""
        return RecordWriter.write(
            [.text(start + expiry + "\"sessionID\":\""), .secret, .text("\"}")], session.sessionID)
    }

    static func decode(_ record: borrowing SecretBytes) throws(CredentialError) -> SessionCredential {
        var sessionID: SecretBytes?
        var cookieName: String?
        var expires: Date?
        try RecordReader.read(record, .session) { name, reader throws(CredentialError) in
            switch name {
            case "sessionID": sessionID = try reader.readText(name)
            case "cookieName": cookieName = try reader.readOpenText(name)
            case "expires":
                let seconds = try reader.readInteger(name)
                guard (0...lastSecond).contains(seconds) else { throw reader.damaged("\"expires\" is out of range") }
                expires = Date(timeIntervalSince1970: Double(seconds))
            default: return false
            }
            return true
        }
        guard let sessionID = sessionID.take(), let cookieName else {
            throw CredentialError.damaged("the stored session lacks its \"sessionID\" or \"cookieName\"")
        }
        guard isCookieValue(sessionID), isToken(cookieName) else {
            throw CredentialError.damaged(
                "the stored session's id or cookie name is empty, too long or has characters that a cookie can't have")
        }
        return SessionCredential(sessionID: sessionID, cookieName: cookieName, expires: expires)
    }

    private static func seconds(_ date: Date) throws(CredentialError) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds >= 0, seconds <= Double(lastSecond) else {
            throw CredentialError(.invalidArgument, "the session's expiry isn't between the years 1970 and 9999")
        }
        return Int64(seconds)
    }

    /// Returns whether a secret is a cookie value: RFC 6265 §4.1.1, cookie-octet. Such text needs no escapes in JSON.
    private static func isCookieValue(_ secret: borrowing SecretBytes) -> Bool {
        let excluded: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\\")]
        return unsafe secret.withUnsafeBytes { bytes in
            unsafe !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) && !excluded.contains($0) }
        }
    }

    /// Returns whether a name is a token: RFC 9110 §5.6.2.
    private static func isToken(_ name: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !name.isEmpty && name.utf8.count <= 256
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || marks.contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
    }
}

/// The stored form of a client identity, a JSON object, and its conversion (Documentation/Credentials.md §3.3).
enum ClientIdentityRecord {
    /// The maximum number of certificates, more than any real chain has.
    private static let maximumCertificateCount = 32

    static func encode(_ identity: consuming ClientIdentityCredential) throws(CredentialError) -> SecretBytes {
        let certificates = identity.certificates
        guard (1...maximumCertificateCount).contains(certificates.count), !certificates.contains(where: \.isEmpty),
            identity.privateKey.byteCount > 0
        else {
            throw CredentialError(
                .invalidArgument,
                "a client identity has a private key and 1 to \(maximumCertificateCount) certificates, none of them empty; "
                    + "this one has \(certificates.count) certificates, or an empty one, or an empty private key")
        }
        let list = certificates.map { "\"" + Base64.encode($0) + "\"" }.joined(separator: ",")
        let start = "{\"version\":\(Credential.recordVersion),\"certificates\":[\(list)],\"privateKey\":\""
        return RecordWriter.write([.text(start), .base64Secret, .text("\"}")], identity.privateKey)
    }

    static func decode(_ record: borrowing SecretBytes) throws(CredentialError) -> ClientIdentityCredential {
        var certificates: [[UInt8]]?
        var privateKey: SecretBytes?
        try RecordReader.read(record, .clientIdentity) { name, reader throws(CredentialError) in
            switch name {
            case "certificates":
                var list: [[UInt8]] = []
                try reader.readArray(name) { reader throws(CredentialError) in
                    let certificate = try reader.readBase64(name)
                    list.append(unsafe certificate.withUnsafeBytes { unsafe Array($0) })
                    guard list.count <= maximumCertificateCount else {
                        throw reader.damaged("more than \(maximumCertificateCount) certificates")
                    }
                }
                certificates = list
            case "privateKey": privateKey = try reader.readBase64(name)
            default: return false
            }
            return true
        }
        guard let certificates, let privateKey = privateKey.take(), !certificates.isEmpty,
            !certificates.contains(where: \.isEmpty), privateKey.byteCount > 0
        else {
            throw CredentialError.damaged(
                "the stored client identity has no certificate or no private key, or one of them is empty")
        }
        return ClientIdentityCredential(certificates: certificates, privateKey: privateKey)
    }
}
