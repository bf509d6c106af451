import SealiteEndpoints
import Testing

@testable import SealiteTransport

@Suite("targets of requests")
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
            ("http://b.example/db", false), ("https://a.example.evil/db", false), ("x", true), ("//a.example/x", true),
            ("//a.example:81/x", false), ("//b.example/x", false),
        ] {
            #expect(from.sharesCredentials(with: try from.redirected(to: location)) == expected, "\(location)")
        }
        let secure = DialTarget(try EndpointURL("wss://a.example/db"))
        for location in [
            "http://a.example/db", "ws://a.example/", "ftp://a/", "", "#x", "https://", "https://a b/", "https:x",
            "//", "mailto:x",
        ] {
            #expect(throws: TransportError(.invalidRedirect, "")) { try secure.redirected(to: location) }
        }
    }

    @Test(
        "a reference is resolved against the target that redirects",
        arguments: [
            ("new", "a.example:4984/db/new"), ("./new/", "a.example:4984/db/new/"),
            ("../up?y=2", "a.example:4984/up?y=2"), ("../../..", "a.example:4984/"),
            ("?y=2", "a.example:4984/db/_blipsync?y=2"), ("/x/./y/../z", "a.example:4984/x/z"),
            ("x?u=http://b/../c#d", "a.example:4984/db/x?u=http://b/../c"), ("//b.example", "b.example:443/"),
            ("//b.example:81?y", "b.example:81/?y"), ("https://b.example/x/..", "b.example:443/"),
        ])
    func references(_ location: String, _ expected: String) throws {
        let from = try DialTarget(EndpointURL("wss://a.example:4984/db")).redirected(to: "/db/_blipsync?x=1")
        let target = try from.redirected(to: location)
        #expect("\(target.place)\(target.path)" == expected && target.isEncrypted)
    }

    @Test("a proxy is named without control characters, and an IPv6 address of it in brackets")
    func proxy() {
        #expect(HTTPProxy(host: "::1", port: 3_128).place == "the proxy [::1]:3128")
        #expect(HTTPProxy(host: "a\u{1B}b", port: 1).place == "the proxy a b:1")
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
