internal import SealiteBase
internal import SealiteEndpoints

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

    /// Returns the target that the `Location` header of a redirect names: a URL, or a reference that is resolved
    /// against this target (RFC 3986 §5.2).
    ///
    /// - Throws: `invalidRedirect` if the reference is malformed or names no other resource, if the URL isn't one of
    ///   http, https, ws or wss, or if it leaves TLS.
    func redirected(to location: String) throws(TransportError) -> DialTarget {
        func refused(_ why: String) -> TransportError {
            TransportError(.invalidRedirect, "the redirect of \(place) isn't followed: \(why)")
        }
        guard location.utf8.count <= 4_096, location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw refused(
                "its header Location is longer than 4096 bytes, or has spaces, control or non-ASCII characters")
        }
        var rest = location.prefix { $0 != "#" }
        guard !rest.isEmpty else { throw refused("its header Location names no other resource") }
        var target = self
        // A colon in the first segment ends a scheme.
        if let colon = rest.prefix(while: { $0 != "/" && $0 != "?" }).firstIndex(of: ":") {
            switch rest[..<colon].lowercased() {
            case "http", "ws": target.isEncrypted = false
            case "https", "wss": target.isEncrypted = true
            default: throw refused("its URL begins with none of http, https, ws and wss")
            }
            rest = rest[rest.index(after: colon)...]
            guard rest.hasPrefix("//") else { throw refused("its URL has no host") }
        }
        guard target.isEncrypted || !isEncrypted else {
            throw refused("it leads from TLS to an unencrypted connection")
        }
        if rest.hasPrefix("//") {
            let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
            guard let (host, port) = EndpointURL.split(authority) else {
                throw refused("the host or the port of its URL is malformed")
            }
            (target.host, target.port) = (host, port ?? (target.isEncrypted ? 443 : 80))
            target.path = "/"
            rest = rest[authority.endIndex...]
        }
        target.path = Self.resolved(rest, against: target.path)
        return target
    }

    /// Returns the path and query of a reference without scheme and authority, resolved against those of a base (RFC
    /// 3986 §5.2.2 to §5.2.4).
    private static func resolved(_ reference: Substring, against base: String) -> String {
        let path = reference.prefix { $0 != "?" }
        let query = reference[path.endIndex...]
        let basePath = base.prefix { $0 != "?" }
        if path.isEmpty { return "\(basePath)\(query)" }
        let folder = basePath[..<(basePath.lastIndex(of: "/") ?? basePath.startIndex)]
        let whole = path.hasPrefix("/") ? String(path) : "\(folder)/\(path)"
        let found = whole.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var kept: [Substring] = []
        for (index, segment) in found.enumerated() {
            switch segment {
            case ".": break
            case "..": _ = kept.popLast()
            default:
                kept.append(segment)
                continue
            }
            // A dot segment at the end names a folder.
            if index == found.count - 1 { kept.append("") }
        }
        return "/\(kept.joined(separator: "/"))\(query)"
    }

    /// Returns whether credentials for this target may be sent to another one, that is, whether the other has the same
    /// host and port, or the same host with TLS added.
    func sharesCredentials(with other: DialTarget) -> Bool {
        host.lowercased() == other.host.lowercased()
            && (port == other.port && isEncrypted == other.isEncrypted || !isEncrypted && other.isEncrypted)
    }
}

extension HTTPProxy {
    /// The words that name the proxy in errors, with its host and port.
    var place: String { "the proxy \(EndpointURL.bracketed(printable(host))):\(port)" }
}
