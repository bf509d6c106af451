internal import NIOCore
internal import SealiteCredentials

extension PeerAddress {
    /// Creates the IP address of a socket's address; nil if it has none.
    init?(_ address: SocketAddress) {
        // A link-local address carries its zone after a percent sign.
        guard let text = address.ipAddress else { return nil }
        self.init(text.prefix { $0 != "%" })
    }
}
