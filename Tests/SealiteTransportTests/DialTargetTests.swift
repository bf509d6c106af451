import SealiteCredentials
import Testing

@testable import SealiteTransport

@Suite("Targets of requests")
struct DialTargetTests {
    @Test("a request goes to a resource of the database", arguments: ["ws://h/db", "ws://h", "wss://h/a/b/"])
    func resource(_ text: String) throws {
        let url = try EndpointURL(text)
        #expect(DialTarget(url).path == url.path + "/_blipsync")
        #expect(DialTarget(url, resource: "_session").path == url.path + "/_session")
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
