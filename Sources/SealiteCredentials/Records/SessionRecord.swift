internal import FoundationEssentials
internal import SealiteCrypto

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
