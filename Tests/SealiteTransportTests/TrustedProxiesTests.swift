import SealiteEndpoints
import Testing

@testable import SealiteTransport

@Suite("trusted proxies")
struct TrustedProxiesTests {
    private static let proxies = TrustedProxies(
        ranges: ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"].compactMap(AddressRange.init))

    @Test(
        "behind a trusted proxy a peer is where the rightmost address says that is no trusted proxy",
        arguments: [
            // Not from a proxy: whatever the header says.
            ("192.0.2.1", ["198.51.100.9"], "192.0.2.1"),
            ("127.0.0.1", [], "127.0.0.1"), ("127.0.0.1", ["198.51.100.9"], "198.51.100.9"),
            // What the peer itself sent stands at the left.
            ("127.0.0.1", ["203.0.113.5, 198.51.100.9"], "198.51.100.9"),
            ("127.0.0.1", ["203.0.113.5", " 198.51.100.9\t"], "198.51.100.9"),
            ("127.0.0.1", ["junk, 198.51.100.9"], "198.51.100.9"),
            ("127.0.0.1", ["198.51.100.9, 10.1.1.1,10.2.2.2"], "198.51.100.9"),
            ("127.0.0.1", ["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
            ("127.0.0.1", ["198.51.100.9:4711"], "198.51.100.9"),
            ("127.0.0.1", ["[2001:dead::1]:4711"], "2001:dead::1"), ("127.0.0.1", ["[2001:dead::1]"], "2001:dead::1"),
            ("127.0.0.1", ["2001:dead::1"], "2001:dead::1"), ("127.0.0.1", ["::ffff:198.51.100.9"], "198.51.100.9"),
            ("::ffff:127.0.0.1", ["198.51.100.9"], "198.51.100.9"),
            ("2001:db8::7", ["198.51.100.9"], "198.51.100.9"),
            // Nothing that can be read: the proxy's own address.
            ("127.0.0.1", [""], "127.0.0.1"), ("127.0.0.1", [","], "127.0.0.1"),
            ("127.0.0.1", ["198.51.100.9,"], "127.0.0.1"), ("127.0.0.1", ["unknown"], "127.0.0.1"),
            ("127.0.0.1", ["198.51.100.9, _hidden, 10.1.1.1"], "127.0.0.1"),
            ("127.0.0.1", ["198.51.100.9:x"], "127.0.0.1"), ("127.0.0.1", ["[2001:dead::1]x"], "127.0.0.1"),
            ("127.0.0.1", ["[2001:dead::1"], "127.0.0.1"), ("127.0.0.1", ["fe80::1%eth0"], "127.0.0.1"),
            ("127.0.0.1", ["\"198.51.100.9\""], "127.0.0.1"), ("127.0.0.1", ["198.51.100.9\0"], "127.0.0.1"),
            ("127.0.0.1", ["\u{FF11}98.51.100.9"], "127.0.0.1"), ("127.0.0.1", ["0x7f.1"], "127.0.0.1"),
            ("127.0.0.1", [String(repeating: "9", count: 30_000)], "127.0.0.1"),
            ("127.0.0.1", [String(repeating: "10.1.1.1,", count: 3_000) + "10.1.1.1"], "127.0.0.1"),
        ])
    func forwarded(_ remote: String, _ header: [String], _ peer: String) throws {
        let remote = try #require(PeerAddress(remote))
        #expect(Self.proxies.peer(of: remote, forwardedFor: header).text == peer)
    }
}
