internal import NIOCore
internal import SealiteCredentials

extension PeerAddress {
    /// The address of a socket; nil for one that has no IP address.
    init?(_ address: SocketAddress) {
        // A link-local address carries its zone after a percent sign.
        guard let text = address.ipAddress else { return nil }
        self.init(text.prefix { $0 != "%" })
    }
}
