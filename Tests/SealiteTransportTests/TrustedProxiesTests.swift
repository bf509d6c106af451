import SealiteCredentials
import Testing

@testable import SealiteTransport

@Suite("Addresses, ranges and trusted proxies")
struct TrustedProxiesTests {
    @Test(
        "a range is an address, or one with the length of a prefix",
        arguments: [
            ("192.0.2.7", "192.0.2.7", ["192.0.2.7", "::ffff:192.0.2.7"], ["192.0.2.6", "::c000:207"]),
            ("10.0.0.0/8", "10.0.0.0/8", ["10.0.0.0", "10.255.1.2"], ["11.0.0.0", "9.255.255.255"]),
            ("10.0.16.9/20", "10.0.16.9/20", ["10.0.16.0", "10.0.31.255"], ["10.0.32.0", "10.0.15.255"]),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8", ["10.3.2.1"], ["11.0.0.0"]),
            ("2001:db8::/33", "2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::1", "32.1.13.184"]),
            ("::1", "::1", ["::1"], ["::2", "127.0.0.1"]),
        ])
    func ranges(_ text: String, _ description: String, _ inside: [String], _ outside: [String]) throws {
        let range = try #require(AddressRange(text))
        #expect("\(range)" == description)
        for address in inside { #expect(range.contains(try #require(PeerAddress(address))), "\(address)") }
        for address in outside { #expect(!range.contains(try #require(PeerAddress(address))), "\(address)") }
    }

    @Test(
        "what is no range isn't taken for one",
        arguments: [
            "", "/", "/8", "10.0.0.0/", "10.0.0.0/0", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
            "10.0.0.0/ 8", "10.0.0", "10.0.0.256", "localhost", "::/0", "::1/129", "::ffff:10.0.0.0/96", "[::1]",
            "fe80::1%eth0", "10.0.0.1:80", "10.0.0.1\0", "1.2.3.4, 5.6.7.8", "10.0.0.0/99999999999999999999",
        ])
    func noRanges(_ text: String) { #expect(AddressRange(text) == nil) }

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
