/// A range of IP addresses: a single address (`192.0.2.7`, `2001:db8::1`), or all addresses with a common prefix
/// (`10.0.0.0/8`).
public struct AddressRange: Sendable, Hashable, LosslessStringConvertible {
    private let prefix: PeerAddress
    private let bitCount: Int

    /// Parses an address, optionally followed by a slash and a prefix length.
    ///
    /// Bits after the prefix are ignored: `10.1.2.3/8` is the range `10.0.0.0/8`. A prefix length of 0 is refused,
    /// because it would cover every address.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let prefix = PeerAddress(parts[0]) else { return nil }
        var bitCount = prefix.bytes.count * 8
        if parts.count == 2 {
            let digits = parts[1]
            guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                var length = Int(digits)
            else { return nil }
            // The prefix length of an IPv4 address that is mapped into IPv6 counts from the start of the IPv6 address.
            if prefix.bytes.count == 4, parts[0].contains(":") { length -= 96 }
            guard (1...bitCount).contains(length) else { return nil }
            bitCount = length
        }
        (self.prefix, self.bitCount) = (prefix.masked(to: bitCount), bitCount)
    }

    /// The range in text, as `10.0.0.0/8`; a single address without prefix length.
    public var description: String { prefix.text + (bitCount == prefix.bytes.count * 8 ? "" : "/\(bitCount)") }

    /// Returns whether an address is in the range. An IPv4 range contains no IPv6 addresses, and an IPv6 range no IPv4
    /// addresses.
    package func contains(_ address: PeerAddress) -> Bool {
        guard address.bytes.count == prefix.bytes.count else { return false }
        let (whole, rest) = bitCount.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole).elementsEqual(prefix.bytes.prefix(whole)) else { return false }
        return rest == 0 || (address.bytes[whole] ^ prefix.bytes[whole]) >> (8 - rest) == 0
    }
}
