import Testing

@testable import SealiteReplicator

@Suite("Endpoint URL")
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
        #expect(DialTarget(url).path == path + "/_blipsync")
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
        "loopback is known by address and by name",
        arguments: [
            ("localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("[::1]", true),
            ("127.0.0.1.example.com", false),
            ("10.0.0.1", false), ("localhost.example.com", false), ("127.1", false),
        ])
    func loopback(_ host: String, _ isLoopback: Bool) throws {
        #expect(try EndpointURL("ws://\(host)/db").isLoopback == isLoopback)
    }

    @Test("a redirect's credentials go to the same host and port, or to the same host with TLS")
    func credentials() throws {
        let from = DialTarget(try EndpointURL("ws://a.example/db"))
        for (location, expected) in [
            ("/x", true), ("http://A.EXAMPLE/db", true), ("https://a.example/db", true),
            ("http://a.example:81/", false),
            ("http://b.example/db", false), ("https://a.example.evil/db", false),
        ] {
            #expect(from.sharesCredentials(with: try from.redirected(to: location)) == expected, "\(location)")
        }
        let secure = DialTarget(try EndpointURL("wss://a.example/db"))
        for location in [
            "http://a.example/db", "ws://a.example/", "ftp://a/", "//b.example/db", "", "https://", "https://a b/",
        ] {
            #expect(throws: TransportError(.invalidRedirect, "")) { try secure.redirected(to: location) }
        }
    }

    @Test(
        "a database's name is read from a request's target",
        arguments: [
            ("/db/_blipsync", "db"), ("/db/_blipsync?client=sgr2", "db"), ("http://h:1/db/_blipsync", "db"),
            ("/a%20b/_blipsync", "a b"), ("/db", nil), ("/db/_changes", nil), ("/_db/_blipsync", nil),
            ("//_blipsync", nil),
            ("/a%2Fb/_blipsync", nil), ("/%5fdb/_blipsync", nil), ("/%/_blipsync", nil), ("/%ff/_blipsync", nil),
            ("/%00/_blipsync", nil), ("*", nil), ("", nil),
        ] as [(String, String?)])
    func database(_ target: String, _ name: String?) { #expect(UpgradeRules.database(in: target) == name) }
}
