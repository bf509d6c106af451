import SealiteCredentials
import SealiteEndpoints
import Testing

@Suite("endpoint URL")
struct EndpointURLTests {
    @Test(
        "a URL is read into host, port and path",
        arguments: [
            ("ws://example.com/db", "example.com", 80, "/db", "example.com"),
            ("wss://example.com/db/", "example.com", 443, "/db", "example.com"),
            ("WSS://example.com:4984/a/db", "example.com", 4984, "/a/db", "example.com:4984"),
            ("ws://[::1]:4984/db", "::1", 4984, "/db", "[::1]:4984"),
            ("ws://127.0.0.1", "127.0.0.1", 80, "", "127.0.0.1"),
        ])
    func parts(_ text: String, _ host: String, _ port: Int, _ path: String, _ authority: String) throws {
        let url = try EndpointURL(text)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.path == path)
        #expect(url.authority == authority)
    }

    @Test(
        "what is no such URL is refused, without repeating it",
        arguments: [
            "", "db", "http://example.com/db", "ws:/example.com", "ws://", "ws:///db", "ws://a b/db", "ws://a:0/db",
            "ws://a:65536/db", "ws://a:x/db", "ws://a:/db", "ws://[::1/db", "ws://[::1]x/db", "ws://[]/db",
            "ws://a/db?x=1",
            "ws://a/db#x", "ws://user:marker-secret@a/db", "ws://a\r\n/db", "ws://ä/db",
            "ws://a/" + String(repeating: "x", count: 3_000),
        ])
    func refused(_ text: String) {
        do throws(TransportError) {
            _ = try EndpointURL(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.code == .invalidURL)
            #expect(!"\(error)".contains("marker-secret"))
        }
    }

    @Test(
        "the endpoint of a credential is read as the URL to sync with",
        arguments: [
            ("https://h:4984/db", "wss://h:4984/db"), ("http://[::1]/db", "ws://[::1]/db"),
            ("wss://h/db/_blipsync", "wss://h/db"), ("a name", nil), ("slot:0", nil), ("http://a$b/db", nil),
        ] as [(String, String?)])
    func service(_ text: String, _ url: String?) throws {
        let service = try CredentialService(text)
        #expect((try? EndpointURL(service))?.description == url)
    }

    @Test(
        "loopback is known by address and by name",
        arguments: [
            ("localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("[::1]", true),
            ("127.0.0.1.example.com", false),
            ("sync.localhost", true), ("Sync.LOCALHOST", true), ("localhost.", false), ("mylocalhost", false),
            ("10.0.0.1", false), ("localhost.example.com", false), ("127.1", false),
        ])
    func loopback(_ host: String, _ isLoopback: Bool) throws {
        #expect(try EndpointURL("ws://\(host)/db").isLoopback == isLoopback)
    }
}
