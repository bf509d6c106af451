/// Where a database of a server is: `ws` or `wss`, host, port, and the path to the database.
///
/// A URL with a user name, a password, a query or a fragment is refused: credentials belong into a credential store.
public struct EndpointURL: Sendable, Hashable {
    /// Whether TLS is used.
    public let isEncrypted: Bool
    /// The name or address; an IPv6 address without brackets.
    public let host: String
    /// The port: 80 or 443 unless the URL names one.
    public let port: Int
    /// The path to the database as it stands in the URL, with a slash before and none behind.
    public let path: String

    /// Reads a URL such as `wss://sync.example.com:4984/notes` or `ws://[::1]:4984/notes`.
    ///
    /// - Throws: `invalidURL`.
    public init(_ text: String) throws(TransportError) {
        // No part of the text goes into the error: it may hold a password.
        func refused(_ why: String) -> TransportError { TransportError(.invalidURL, "not a URL to sync with: \(why)") }
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else {
            throw refused("it is longer than 2048 bytes, or has spaces or characters that must be percent-encoded")
        }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
            throw refused("it does not begin with ws:// or wss://")
        }
        switch text[..<colon].lowercased() {
        case "ws": isEncrypted = false
        case "wss": isEncrypted = true
        default: throw refused("it does not begin with ws:// or wss://")
        }
        let rest = text[text.index(colon, offsetBy: 3)...]
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else { throw refused("it has a query or a fragment") }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        guard !rest[..<slash].contains("@") else {
            throw refused("it holds a user name; put the credential into the store instead")
        }
        guard let (host, port) = Self.split(rest[..<slash]) else { throw refused("its host or port is malformed") }
        self.host = host
        self.port = port ?? (isEncrypted ? 443 : 80)
        var path = rest[slash...]
        while path.last == "/" { path.removeLast() }
        self.path = String(path)
    }

    /// Host and port of an authority; nil if malformed.
    static func split(_ authority: Substring) -> (host: String, port: Int?)? {
        let host: Substring
        var tail: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            guard host.contains(":"),
                host.allSatisfy({ $0.isHexDigit || ":.%".contains($0) || $0.isLetter || $0.isNumber })
            else { return nil }
            tail = authority[authority.index(after: end)...]
        } else {
            host = authority.prefix { $0 != ":" }
            guard host.allSatisfy({ $0.isLetter || $0.isNumber || "-._~".contains($0) }) else { return nil }
            tail = authority[host.endIndex...]
        }
        guard !host.isEmpty, host.utf8.count <= 255 else { return nil }
        guard tail.popFirst() != nil else { return (String(host), nil) }
        guard authority[host.endIndex...].drop(while: { $0 == "]" }).first == ":" else { return nil }
        guard tail.count <= 5, let port = Int(tail), tail.allSatisfy(\.isNumber), (1...65_535).contains(port) else {
            return nil
        }
        return (String(host), port)
    }

    /// The host as it stands in a URL.
    var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The value of the `Host` header: without the port where it is the scheme's own.
    var authority: String { port == (isEncrypted ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)" }

    /// What the upgrade asks for.
    var target: String { path + "/_blipsync" }

    /// Whether the host is this machine, by address or by the name that RFC 6761 reserves for it.
    public var isLoopback: Bool { DialTarget.isLoopback(host) }
}

extension EndpointURL: CustomStringConvertible {
    /// The URL.
    public var description: String { "\(isEncrypted ? "wss" : "ws")://\(authority)\(path)" }
}
