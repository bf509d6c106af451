import SealiteEndpoints
import Testing

@Suite("addresses and ranges")
struct AddressRangeTests {
    @Test(
        "a range is an address, or one with the length of a prefix",
        arguments: [
            ("192.0.2.7", "192.0.2.7", ["192.0.2.7", "::ffff:192.0.2.7"], ["192.0.2.6", "::c000:207"]),
            ("10.0.0.0/8", "10.0.0.0/8", ["10.0.0.0", "10.255.1.2"], ["11.0.0.0", "9.255.255.255"]),
            ("10.0.16.9/20", "10.0.16.0/20", ["10.0.16.0", "10.0.31.255"], ["10.0.32.0", "10.0.15.255"]),
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

    @Test("ranges of the same addresses are equal")
    func equal() {
        #expect(AddressRange("10.1.2.3/8") == AddressRange("10.0.0.0/8"))
        #expect(AddressRange("2001:db8:ffff::1/33") == AddressRange("2001:db8:8000::/33"))
        #expect(AddressRange("10.1.2.3") != AddressRange("10.1.2.2"))
    }

    @Test(
        "what is no range isn't taken for one",
        arguments: [
            "", "/", "/8", "10.0.0.0/", "10.0.0.0/0", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
            "10.0.0.0/ 8", "10.0.0", "10.0.0.256", "localhost", "::/0", "::1/129", "::ffff:10.0.0.0/96", "[::1]",
            "fe80::1%eth0", "10.0.0.1:80", "10.0.0.1\0", "1.2.3.4, 5.6.7.8", "10.0.0.0/99999999999999999999",
        ])
    func noRanges(_ text: String) { #expect(AddressRange(text) == nil) }
}
