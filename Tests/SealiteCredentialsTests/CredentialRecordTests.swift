import Foundation
import SealiteCrypto
import Testing

@testable import SealiteCredentials

@Suite("records of credentials")
struct CredentialRecordTests {
    private static let slotID = [UInt8](0..<16)

    private func encoded(_ credential: consuming Credential) throws -> SecretBytes {
        let reference =
            credential.kind == .slotKey
            ? CredentialReference.slotKey(Self.slotID) : try reference("h", "ana", credential.kind)
        return try credential.record(for: reference)
    }

    private func decoded(_ text: String, _ kind: CredentialKind) throws -> Credential {
        let reference = kind == .slotKey ? CredentialReference.slotKey(Self.slotID) : try reference("h", "ana", kind)
        return try Credential(record: secret(text), for: reference)
    }

    private func code(_ body: () throws -> Void) -> CredentialError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? CredentialError)?.code }
    }

    @Test("passwords and bearer tokens are stored as they are")
    func bareBytes() throws {
        let password: [UInt8] = [0, 0xFF, 0xC3, 10]
        #expect(bytes(try encoded(.password(secret(password)))) == password)
        #expect(bytes(try encoded(.bearer(secret("eyJhbGciOi.J9")))) == Array("eyJhbGciOi.J9".utf8))
    }

    @Test("a session record is the one of the specification, and reads back")
    func session() throws {
        let session = SessionCredential(
            sessionID: secret("a1b2c3"), expires: Date(timeIntervalSince1970: 1_790_000_000.75))
        let record = text(try encoded(.session(session)))
        #expect(
            record == #"{"version":1,"cookieName":"SyncGatewaySession","expires":1790000000,"sessionID":"a1b2c3"}"#)
        guard case .session(let read) = try decoded(record, .session) else { throw Unexpected() }
        #expect(text(read.sessionID) == "a1b2c3")
        #expect(read.cookieName == "SyncGatewaySession")
        #expect(read.expires == Date(timeIntervalSince1970: 1_790_000_000))
        #expect(read.isExpired(at: Date(timeIntervalSince1970: 1_790_000_000)) == true)
        #expect(read.isExpired(at: Date(timeIntervalSince1970: 1_789_999_999)) == false)
    }

    @Test("a session without an end never expires")
    func sessionWithoutEnd() throws {
        let record = text(try encoded(.session(SessionCredential(sessionID: secret("x"), cookieName: "c"))))
        guard case .session(let read) = try decoded(record, .session) else { throw Unexpected() }
        #expect(read.expires == nil)
        #expect(read.isExpired(at: .distantFuture) == false)
    }

    @Test("a client identity reads back")
    func clientIdentity() throws {
        let identity = ClientIdentityCredential(certificates: [[1, 2, 3], [4]], privateKey: secret([9, 8, 7, 6]))
        let record = text(try encoded(.clientIdentity(identity)))
        #expect(record == #"{"version":1,"certificates":["AQID","BA=="],"privateKey":"CQgHBg=="}"#)
        guard case .clientIdentity(let read) = try decoded(record, .clientIdentity) else { throw Unexpected() }
        #expect(read.certificates == [[1, 2, 3], [4]])
        #expect(bytes(read.privateKey) == [9, 8, 7, 6])
    }

    @Test("a slot key reads back, and only under its own slot")
    func slotKey() throws {
        let key = try SecretBytes.random(byteCount: 32)
        let credential = SlotKeyCredential(
            slotID: Self.slotID, databaseID: [UInt8](repeating: 7, count: 16), key: key.duplicate())
        let record = try encoded(.slotKey(credential))
        guard
            case .slotKey(let read) = try Credential(record: record.duplicate(), for: .slotKey(Self.slotID))
        else { throw Unexpected() }
        #expect(read.key.isEqual(to: key) == true)
        #expect(read.databaseID == [UInt8](repeating: 7, count: 16))
        let other = CredentialReference.slotKey([UInt8](repeating: 1, count: 16))
        #expect(code { _ = try Credential(record: record.duplicate(), for: other) } == .damaged)
        let again = SlotKeyCredential(slotID: Self.slotID, databaseID: Self.slotID, key: key.duplicate())
        let held = try encoded(.slotKey(again))
        #expect(held.byteCount == record.byteCount)
    }

    @Test("what can't be a credential of its kind is not stored")
    func refusedToEncode() {
        let wrong = secret("x")
        #expect(code { _ = try encoded(.password(secret(""))) } == .invalidArgument)
        #expect(code { _ = try encoded(.bearer(secret("a\r\nX-Other: b"))) } == .invalidArgument)
        #expect(code { _ = try encoded(.session(SessionCredential(sessionID: secret("a;b")))) } == .invalidArgument)
        #expect(
            code { _ = try encoded(.session(SessionCredential(sessionID: secret("a"), cookieName: "a\"b"))) }
                == .invalidArgument)
        #expect(
            code {
                _ = try encoded(.session(SessionCredential(sessionID: secret("a"), expires: .distantPast)))
            } == .invalidArgument)
        #expect(
            code {
                _ = try encoded(.clientIdentity(ClientIdentityCredential(certificates: [], privateKey: secret("k"))))
            }
                == .invalidArgument)
        #expect(
            code {
                _ = try encoded(
                    .slotKey(SlotKeyCredential(slotID: Self.slotID, databaseID: Self.slotID, key: wrong.duplicate())))
            } == .invalidArgument)
    }

    @Test("a secret of 1 MiB is taken, one byte more is not", arguments: [0, 1])
    func largest(excess: Int) throws {
        let password = [UInt8](repeating: 65, count: 1 << 20) + [UInt8](repeating: 65, count: excess)
        let code = code { _ = try encoded(.password(secret(password))) }
        #expect(code == (excess == 0 ? nil : .tooLarge))
    }

    @Test("white space, escapes, other orders and unknown members are read")
    func lenient() throws {
        let record = """
             { "note": [1, {"a": [true, null, -1.5e3]}, "\\"]}"], "sessionID" : "\\u0061\\/b",
            "cookieName":"c\\u006f", "expires": 0 ,"version":1 }\n
            """
        guard case .session(let read) = try decoded(record, .session) else { throw Unexpected() }
        #expect(text(read.sessionID) == "a/b")
        #expect(read.cookieName == "co")
        #expect(read.expires == Date(timeIntervalSince1970: 0))
    }

    @Test(
        "a record that is none is damaged, never something else",
        arguments: [
            "", "{", "{}", "[]", "null", "a1b2c3", #"{"version":1}"#, #"{"version":1,"sessionID":"a"}"#,
            #"{"sessionID":"a","cookieName":"b"}"#, #"{"version":"1","sessionID":"a","cookieName":"b"}"#,
            #"{"version":1.0,"sessionID":"a","cookieName":"b"}"#,
            #"{"version":1,"sessionID":"a","sessionID":"a","cookieName":"b"}"#,
            #"{"version":1,"version":1,"sessionID":"a","cookieName":"b"}"#,
            #"{"version":1,"sessionID":"a b","cookieName":"b"}"#, #"{"version":1,"sessionID":"","cookieName":"b"}"#,
            #"{"version":1,"sessionID":"a\u000d","cookieName":"b"}"#,
            #"{"version":1,"sessionID":"a\x","cookieName":"b"}"#, #"{"version":1,"sessionID":"a\"#,
            #"{"version":1,"sessionID":"\ud800","cookieName":"b"}"#,
            #"{"version":1,"sessionID":"a","cookieName":"b","expires":-1}"#,
            #"{"version":1,"sessionID":"a","cookieName":"b","expires":253402300800}"#,
            #"{"version":1,"sessionID":"a","cookieName":"b","expires":99999999999999999999}"#,
            #"{"version":1,"sessionID":"a","cookieName":"b"}x"#, #"{"version":1,"sessionID":"a","cookieName":"b",}"#,
            #"{"version":1,"x":"# + String(repeating: "[", count: 5000),
        ])
    func damaged(record: String) {
        #expect(code { _ = try decoded(record, .session) } == .damaged)
    }

    @Test(
        "a record of a later version says so, also where its members have another form",
        arguments: [
            #"{"version":2,"sessionID":"a","cookieName":"b"}"#, #"{"version":2,"sessionID":{"of":"another form"}}"#,
        ])
    func laterVersion(record: String) {
        #expect(code { _ = try decoded(record, .session) } == .unsupportedVersion)
    }

    @Test("a record cut off anywhere, or with any byte changed, is read or refused, and never quoted")
    func everyByte() throws {
        let record = Array(#"{"version":1,"cookieName":"c","expires":17,"sessionID":"Kq9"}"#.utf8)
        let reference = try reference("h", "ana", .session)
        for length in 0..<record.count {
            let error = failureOf(Array(record[..<length]), reference)
            #expect(error?.code == .damaged)
        }
        for index in record.indices {
            for value in UInt8.min...UInt8.max {
                var changed = record
                changed[index] = value
                let error = failureOf(changed, reference)
                #expect(error == nil || [.damaged, .unsupportedVersion].contains(error?.code))
                #expect(error?.description.contains("Kq9") != true)
            }
        }
    }

    private func failureOf(_ record: [UInt8], _ reference: CredentialReference) -> CredentialError? {
        do {
            _ = try Credential(record: secret(record), for: reference)
            return nil
        } catch { return error }
    }

    @Test(
        "base 64 gives the vectors of RFC 4648 §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(plain: String, encoded: String) throws {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        guard let decoded = Base64.decode(secret(encoded)) else { throw Unexpected() }
        #expect(text(decoded) == plain)
    }

    @Test(
        "base 64 that no encoder writes is refused",
        arguments: ["Zg=", "Zg", "Zh==", "Zm9=", "=AAA", "Z===", "Zm 9v", "Zm9-"])
    func wrongBase64(text: String) {
        let isRefused = Base64.decode(secret(text)) == nil
        #expect(isRefused)
    }
}

struct Unexpected: Error {}
