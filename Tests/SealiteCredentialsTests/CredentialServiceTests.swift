import SealiteCredentials
import Testing

@Suite("canonical services")
struct CredentialServiceTests {
    @Test(
        "an endpoint is kept in one form, however it was written",
        arguments: [
            ("wss://h/db", "https://h/db"),
            ("https://h/db/", "https://h/db"),
            ("wss://h/db/_blipsync", "https://h/db"),
            ("wss://h/db/_blipsync//", "https://h/db"),
            ("https://h/db//_blipsync", "https://h/db"),
            ("ws://h:80/db", "http://h/db"),
            ("http://h:443/db", "http://h:443/db"),
            ("HTTPS://Sync.Example.COM:443/Notes", "https://sync.example.com/Notes"),
            ("wss://h:04984/db", "https://h:4984/db"),
            ("wss://ana:s3cr@t@h:4984/db", "https://h:4984/db"),
            ("wss://h:/db", "https://h/db"),
            ("https://[FE80::1]:443/db", "https://[fe80::1]/db"),
            ("https://[::1]", "https://[::1]"),
            ("https://h/", "https://h"),
            ("https://h/a%20b", "https://h/a%20b"),
            ("https://h/my_blipsync", "https://h/my_blipsync"),
        ])
    func endpoints(text: String, canonical: String) throws {
        let service = try CredentialService(text)
        #expect(service.canonical == canonical)
        #expect(try CredentialService(service.canonical) == service)
    }

    @Test("a name is kept as it is", arguments: ["Notes", "sync.example.com/db/", "slot:00", "Übung"])
    func names(text: String) throws {
        #expect(try CredentialService(text).canonical == text)
        #expect(try CredentialService(text).scheme == nil)
    }

    @Test(
        "what is no service is refused, and the error doesn't quote it",
        arguments: [
            "", "ftp://h/db", "https://", "https:///db", "https://ana:s3cret@/db", "https://h:0/db",
            "https://h:65536/db",
            "https://h:x/db", "https://h/db?q=1", "https://h/db#f", "https://h/a b", "https://h\\db", "https://hé/db",
            "https://a:b:c/db", "https://[::1/db", "name\nwith a line", "https://s3cret@:443/",
            "https://h/" + String(repeating: "a", count: 2048),
        ])
    func refused(text: String) async throws {
        let error = await failure { try CredentialService(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test("a key slot's service is its id in hexadecimal")
    func keySlot() {
        let reference = CredentialReference.slotKey(Array(0..<16))
        #expect(reference.service.canonical == "slot:000102030405060708090a0b0c0d0e0f")
        #expect(reference.kind == .slotKey)
        #expect(reference.account.isEmpty)
    }

    @Test("an account with control characters or of more than 1,024 bytes is refused")
    func accounts() async throws {
        for account in ["a\nb", "a\u{7F}", String(repeating: "é", count: 513)] {
            let error = await failure {
                try CredentialReference(service: CredentialService("h"), account: account, kind: .password)
            }
            #expect(error?.code == .invalidArgument)
        }
        _ = try reference("h", String(repeating: "é", count: 512))
    }
}
