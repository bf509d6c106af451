/// The URL of a database on a server: `ws` or `wss`, host, port, and the path to the database.
///
/// A URL with a user name, a password, a query or a fragment is refused: credentials belong in a credential store.
public struct EndpointURL: Sendable, Hashable {
    /// A Boolean value that indicates whether connections use TLS.
    public let isEncrypted: Bool
    /// The name or address of the server; an IPv6 address without brackets.
    public let host: String
    /// The port: the one in the URL, otherwise 80 without TLS and 443 with TLS.
    public let port: Int
    /// The path to the database as in the URL, with a leading slash and no trailing slash; empty for the root path.
    public let path: String

    /// Parses a URL such as `wss://sync.example.com:4984/notes` or `ws://[::1]:4984/notes`.
    ///
    /// - Throws: `invalidURL`. The error doesn't quote the text, which may contain a password.
    public init(_ text: String) throws(TransportError) {
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
            throw refused("it holds a user name; put the credential into a credential store instead")
        }
        guard let (host, port) = Self.split(rest[..<slash]) else { throw refused("its host or port is malformed") }
        self.host = host
        self.port = port ?? (isEncrypted ? 443 : 80)
        var path = rest[slash...]
        while path.last == "/" { path.removeLast() }
        self.path = String(path)
    }

    /// Splits the authority of a URL into the host, without brackets, and the port, which is nil if the authority has
    /// none; returns nil if the authority is malformed.
    package static func split(_ authority: Substring) -> (host: String, port: Int?)? {
        guard let parsed = Authority(authority), parsed.host.utf8.count <= 255 else { return nil }
        let others = parsed.isBracketed ? ":.%" : "-._~"
        let isKnown = parsed.host.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || others.utf8.contains(byte)
        }
        guard isKnown, !parsed.isBracketed || parsed.host.contains(":") else { return nil }
        guard let portText = parsed.portText else { return (String(parsed.host), nil) }
        guard portText.utf8.count <= 5, let port = parsed.port else { return nil }
        return (String(parsed.host), port)
    }

    /// Returns the host in the form of a URL: an IPv6 address in brackets.
    package static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    /// Returns the value of the `Host` header: without the port if it is the scheme's default.
    package static func authority(host: String, port: Int, isEncrypted: Bool) -> String {
        port == (isEncrypted ? 443 : 80) ? bracketed(host) : "\(bracketed(host)):\(port)"
    }

    /// The host and the port, for a log.
    package var hostAndPort: String { "\(Self.bracketed(host)):\(port)" }

    /// The value of the `Host` header.
    package var authority: String { Self.authority(host: host, port: port, isEncrypted: isEncrypted) }

    /// A Boolean value that indicates whether the host is this machine, by address or by a name that RFC 6761 reserves
    /// for it.
    public var isLoopback: Bool { Self.isLoopback(host) }

    /// Returns whether a host is this machine, by address or by a name that RFC 6761 §6.3 reserves for it.
    package static func isLoopback(_ host: String) -> Bool {
        let lowered = host.lowercased()
        if lowered == "localhost" || lowered.hasSuffix(".localhost") { return true }
        return PeerAddress(lowered)?.isLoopback ?? false
    }
}

extension EndpointURL: CustomStringConvertible {
    /// The URL as text.
    public var description: String { "\(isEncrypted ? "wss" : "ws")://\(authority)\(path)" }
}

/// A host and an optional port, in the form of URLs and of headers that proxies set: `sync.example.com:4984`,
/// `[::1]:80`.
///
/// Only the form is checked. The caller checks the characters of the host and the number of the port.
package struct Authority {
    /// The host in the form in which it was given, without the brackets of an IPv6 address; never empty.
    package let host: Substring
    /// A Boolean value that indicates whether the host is in brackets.
    package let isBracketed: Bool
    /// The text after the colon; nil without a colon.
    package let portText: Substring?

    /// Splits a text; nil if it has no host, if its brackets don't match, or if anything but a colon follows the host.
    package init?(_ text: Substring) {
        isBracketed = text.first == "["
        let end =
            isBracketed ? text.firstIndex(of: "]") : text.firstIndex { $0 == ":" } ?? text.endIndex
        guard let end else { return nil }
        host = isBracketed ? text[text.index(after: text.startIndex)..<end] : text[..<end]
        let rest = isBracketed ? text[text.index(after: end)...] : text[end...]
        guard !host.isEmpty, !host.contains(where: { $0 == "[" || $0 == "]" }),
            rest.isEmpty || rest.first == ":"
        else {
            return nil
        }
        portText = rest.isEmpty ? nil : rest.dropFirst()
    }

    /// The number of the port; nil without a colon, or if the text after it isn't a number from 1 to 65535 in ASCII
    /// digits.
    package var port: Int? {
        guard let portText, portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(portText),
            (1...65_535).contains(port)
        else { return nil }
        return port
    }
}
