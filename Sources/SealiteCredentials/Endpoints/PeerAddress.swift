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
