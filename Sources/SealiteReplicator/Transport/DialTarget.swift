/// Where one attempt of a handshake goes: the endpoint, or where a redirect led.
struct DialTarget: Sendable, Hashable {
    var isEncrypted: Bool
    var host: String
    var port: Int
    /// Path and query of the request.
    var path: String

    init(_ endpoint: EndpointURL) {
        isEncrypted = endpoint.isEncrypted
        host = endpoint.host
        port = endpoint.port
        path = endpoint.target
    }

    private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The value of the `Host` header: without the port where it is the scheme's own.
    var authority: String { port == (isEncrypted ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)" }

    /// Host and port, for errors and CONNECT.
    var place: String { "\(bracketedHost):\(port)" }

    var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether a host is this machine, by address or by the name that RFC 6761 reserves for it.
    static func isLoopback(_ host: String) -> Bool {
        let lowered = host.lowercased()
        if lowered == "localhost" || lowered == "::1" { return true }
        let parts = lowered.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
    }

    /// Where a `Location` leads.
    ///
    /// - Throws: `invalidRedirect` if it isn't a URL of http, https, ws or wss or a path, or leads out of TLS.
    func redirected(to location: String) throws(TransportError) -> DialTarget {
        func refused(_ why: String) -> TransportError {
            TransportError(.invalidRedirect, "\(place) redirects \(why)")
        }
        guard location.utf8.count <= 4_096, location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw refused("to what is no URL")
        }
        var target = self
        if location.hasPrefix("/"), !location.hasPrefix("//") {
            target.path = String(location.prefix { $0 != "#" })
            return target
        }
        guard let separator = location.firstRange(of: "://") else { throw refused("to what is no URL") }
        switch location[..<separator.lowerBound].lowercased() {
        case "http", "ws": target.isEncrypted = false
        case "https", "wss": target.isEncrypted = true
        default: throw refused("to another protocol")
        }
        guard target.isEncrypted || !isEncrypted else { throw refused("from TLS to an unencrypted connection") }
        let rest = location[separator.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let (host, port) = EndpointURL.split(authority) else { throw refused("to a malformed host") }
        target.host = host
        target.port = port ?? (target.isEncrypted ? 443 : 80)
        let path = rest[authority.endIndex...]
        target.path = path.hasPrefix("/") ? String(path) : "/\(path)"
        return target
    }

    /// Whether credentials for this target may go to another: the same host and port, or the same host with TLS added.
    func sharesCredentials(with other: DialTarget) -> Bool {
        host.lowercased() == other.host.lowercased()
            && (port == other.port && isEncrypted == other.isEncrypted || !isEncrypted && other.isEncrypted)
    }
}
