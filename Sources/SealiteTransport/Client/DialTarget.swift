internal import SealiteCredentials

/// The destination of one attempt to connect: the endpoint, or the target of a redirect.
struct DialTarget: Sendable, Hashable {
    var isEncrypted: Bool
    var host: String
    var port: Int
    /// Path and query of the request.
    var path: String

    /// Creates the target for a resource of the database at an endpoint: by default `_blipsync`, with which databases
    /// are replicated.
    init(_ endpoint: EndpointURL, resource: String = "_blipsync") {
        isEncrypted = endpoint.isEncrypted
        host = endpoint.host
        port = endpoint.port
        path = "\(endpoint.path)/\(resource)"
    }

    /// The value of the `Host` header.
    var authority: String { EndpointURL.authority(host: host, port: port, isEncrypted: isEncrypted) }

    /// Host and port, for errors and CONNECT.
    var place: String { "\(EndpointURL.bracketed(host)):\(port)" }

    /// A Boolean value that indicates whether the host is this machine.
    var isLoopback: Bool { EndpointURL.isLoopback(host) }

    /// Returns the target that the `Location` header of a redirect names.
    ///
    /// - Throws: `invalidRedirect` if it is neither a URL of http, https, ws or wss nor a path, or if it leaves TLS.
    func redirected(to location: String) throws(TransportError) -> DialTarget {
        func refused(_ why: String) -> TransportError {
            TransportError(.invalidRedirect, "the redirect of \(place) isn't followed: \(why)")
        }
        guard location.utf8.count <= 4_096, location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw refused(
                "its header Location is longer than 4096 bytes, or has spaces, control or non-ASCII characters")
        }
        var target = self
        if location.hasPrefix("/"), !location.hasPrefix("//") {
            target.path = String(location.prefix { $0 != "#" })
            return target
        }
        guard let separator = location.firstRange(of: "://") else {
            throw refused("its header Location is neither a URL with a scheme nor a path that begins with one slash")
        }
        switch location[..<separator.lowerBound].lowercased() {
        case "http", "ws": target.isEncrypted = false
        case "https", "wss": target.isEncrypted = true
        default: throw refused("its URL begins with none of http, https, ws and wss")
        }
        guard target.isEncrypted || !isEncrypted else {
            throw refused("it leads from TLS to an unencrypted connection")
        }
        let rest = location[separator.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let (host, port) = EndpointURL.split(authority) else {
            throw refused("the host or the port of its URL is malformed")
        }
        target.host = host
        target.port = port ?? (target.isEncrypted ? 443 : 80)
        let path = rest[authority.endIndex...]
        target.path = path.hasPrefix("/") ? String(path) : "/\(path)"
        return target
    }

    /// Returns whether credentials for this target may be sent to another one, that is, whether the other has the same
    /// host and port, or the same host with TLS added.
    func sharesCredentials(with other: DialTarget) -> Bool {
        host.lowercased() == other.host.lowercased()
            && (port == other.port && isEncrypted == other.isEncrypted || !isEncrypted && other.isEncrypted)
    }
}
