internal import SealiteEndpoints

/// The reverse proxies whose `X-Forwarded-For` a server trusts.
///
/// Anybody can send the header. It is therefore evaluated only on connections from a trusted proxy, from right to left,
/// up to the first address that is not a trusted proxy: this address was added by a trusted proxy.
struct TrustedProxies: Sendable {
    let ranges: [AddressRange]

    /// The largest number of addresses that are evaluated.
    private static let hopLimit = 16

    /// Returns whether an address belongs to a trusted proxy.
    func contains(_ address: PeerAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// Finds the address of the peer that sent a request.
    ///
    /// - Parameters:
    ///   - remote: the remote address of the connection.
    ///   - forwardedFor: the values of the request's `X-Forwarded-For` headers, in their order.
    /// - Returns: the rightmost address that is not a trusted proxy; the leftmost if all are; `remote` if the header is
    ///   missing, not trusted, malformed, or has too many addresses.
    func peer(of remote: PeerAddress, forwardedFor: [String]) -> PeerAddress {
        guard contains(remote) else { return remote }
        var found = remote
        var count = 0
        for value in forwardedFor.reversed() {
            for entry in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).reversed() {
                count += 1
                guard count <= Self.hopLimit, let address = Self.address(Substring(entry)) else { return remote }
                found = address
                if !contains(address) { return found }
            }
        }
        return found
    }

    /// Parses one entry: an address, with a port or without (`192.0.2.7:80`, `[2001:db8::1]:80`, `[2001:db8::1]`); nil
    /// if it is malformed.
    private static func address(_ entry: Substring) -> PeerAddress? {
        guard entry.utf8.count <= 128 else { return nil }
        var text = entry.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if let address = PeerAddress(text) { return address }
        guard let authority = Authority(text) else { return nil }
        if let digits = authority.portText?.utf8 {
            guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        }
        return PeerAddress(authority.host)
    }
}
