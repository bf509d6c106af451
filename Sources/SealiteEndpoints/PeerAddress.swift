internal import Glibc

/// The IP address of a peer. An IPv4 address that is mapped into IPv6 (`::ffff:192.0.2.7`) counts as IPv4.
package struct PeerAddress: Hashable, Sendable {
    /// Four bytes for IPv4, sixteen for IPv6.
    package let bytes: [UInt8]

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Parses an address in its textual form, without port, brackets or zone; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let allowed = Array("0123456789abcdefABCDEF.:".utf8)
        guard (2...45).contains(text.utf8.count), text.utf8.allSatisfy(allowed.contains) else { return nil }
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(text), &bytes) == 1 else { return nil }
        self.init(bytes: bytes)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes.starts(with: Self.mappedPrefix) ? Array(bytes.dropFirst(12)) : bytes
    }

    /// Returns the address with all bits after the first `bitCount` set to 0.
    func masked(to bitCount: Int) -> PeerAddress {
        var masked = bytes
        for index in masked.indices {
            let kept = min(8, max(0, bitCount - 8 * index))
            masked[index] &= ~(UInt8.max >> kept)
        }
        return PeerAddress(bytes: masked)
    }

    /// A Boolean value that indicates whether the address is a loopback address (127.0.0.0/8, ::1).
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The textual form, as the system formats it.
    package var text: String {
        var buffer = [CChar](repeating: 0, count: 64)
        guard unsafe inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &buffer, 64) != nil else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The text under which limits for each peer count this address: the IPv4 address, or the first 64 bits of the IPv6
    /// address, because a peer with one address of such a network usually has all of them.
    package var network: String {
        guard bytes.count == 16 else { return text }
        let words = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return words.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
}

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
