internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import SealiteBase
internal import SealiteEndpoints

/// This machine's network interfaces, and addresses as text.
package enum NetworkInterface {
    /// Returns an address of an interface, with port 0.
    ///
    /// - Parameters:
    ///   - name: the interface's name, as `eth0`, or one of its addresses.
    ///   - host: the destination, which decides between several addresses: an IPv6 address prefers an IPv6 address of
    ///     the interface; anything else, or nil, prefers an IPv4 address.
    /// - Returns: the address.
    /// - Throws: `interfaceNotFound`.
    static func address(named name: String, toReach host: String? = nil) throws(TransportError) -> SocketAddress {
        guard let devices = try? System.enumerateDevices() else {
            throw TransportError(
                .interfaceNotFound,
                "the network interfaces of this machine can't be listed, so \"\(printable(name))\" can't be found")
        }
        let found = devices.filter { $0.name == name || $0.address?.ipAddress == name }.compactMap(\.address)
        let wanted: NIOBSDSocket.ProtocolFamily = host?.contains(":") ?? false ? .inet6 : .inet
        guard var address = found.first(where: { $0.protocol == wanted }) ?? found.first(where: { $0.port != nil })
        else {
            throw TransportError(
                .interfaceNotFound,
                "this machine has no network interface with the name or address \"\(printable(name))\" and an IP address"
            )
        }
        address.port = 0
        return address
    }

    /// Returns whether an interface, given by name or address, is reachable from this machine alone; false if there is
    /// no such interface.
    package static func isLoopback(_ name: String) -> Bool {
        if let address = PeerAddress(name) { return address.isLoopback }
        return (try? address(named: name)).flatMap { PeerAddress($0) }?.isLoopback ?? false
    }

    /// Returns the IP addresses of all interfaces as text, except link-local IPv6 addresses: no other machine can connect
    /// to one without the name of its own interface.
    static func allAddresses() -> [String] {
        ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }.filter { !isLinkLocal($0) }
    }

    /// Returns whether an IPv6 address is in the block fe80::/10. <https://www.rfc-editor.org/rfc/rfc4291#section-2.5.6>
    static func isLinkLocal(_ address: String) -> Bool {
        guard let first = address.split(separator: ":", omittingEmptySubsequences: false).first, address.contains(":"),
            let bits = UInt16(first, radix: 16)
        else { return false }
        return bits & 0xFFC0 == 0xFE80
    }

    /// Returns a socket's IP address and port as text, such as `[::1]:4984`; empty if it has none.
    static func text(_ address: SocketAddress) -> String {
        guard let ip = address.ipAddress, let port = address.port else { return "" }
        return ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)"
    }

    /// Returns the name of a TLS version, as OpenSSL writes it.
    static func text(_ version: TLSVersion) -> String {
        switch version {
        case .tlsv1: "TLSv1"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        }
    }
}

extension PeerAddress {
    /// Creates the IP address of a socket's address; nil if it has none.
    init?(_ address: SocketAddress) {
        // A link-local address carries its zone after a percent sign.
        guard let text = address.ipAddress else { return nil }
        self.init(text.prefix { $0 != "%" })
    }
}
