public import SealiteCrypto

/// An HTTP proxy that opens a tunnel with CONNECT.
public struct HTTPProxy: Sendable {
    /// The name or address of the proxy.
    public var host: String
    /// The port of the proxy.
    public var port: Int
    /// The value of `Proxy-Authorization`; nil sends none.
    public var authorization: SharedSecret?

    /// Creates a proxy.
    public init(host: String, port: Int, authorization: SharedSecret? = nil) {
        self.host = host
        self.port = port
        self.authorization = authorization
    }
}
