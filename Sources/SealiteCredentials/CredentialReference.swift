internal import FoundationEssentials
internal import SealiteBase
package import SealiteEndpoints

/// The identity of a credential: its service, account and kind. None of it is secret.
public struct CredentialReference: Sendable, Hashable, CustomStringConvertible {
    /// The server or purpose that the credential is for.
    public let service: CredentialService
    /// The owner of the credential: a user name; empty if there is none.
    public let account: String
    /// The kind of the credential.
    public let kind: CredentialKind

    /// The maximum length of an account, in UTF-8 bytes.
    public static let maximumAccountByteCount = 1024

    /// Creates a reference.
    ///
    /// - Throws: `invalidArgument` if the account is longer than 1,024 bytes or contains control characters.
    public init(service: CredentialService, account: String, kind: CredentialKind) throws(CredentialError) {
        guard account.utf8.count <= Self.maximumAccountByteCount else {
            throw CredentialError(
                .invalidArgument,
                "the account name has \(account.utf8.count) bytes; the limit is \(Self.maximumAccountByteCount)")
        }
        guard !account.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw CredentialError(.invalidArgument, "the account name holds a control character")
        }
        self.service = service
        self.account = account
        self.kind = kind
    }

    /// Returns the reference of the raw key of one key slot of a sealed database.
    ///
    /// - Parameter slotID: the slot's id, 16 bytes.
    /// - Returns: the reference, of kind `slot-key`, without an account.
    public static func slotKey(_ slotID: [UInt8]) -> CredentialReference {
        CredentialReference(slotService: .keySlot(slotID))
    }

    private init(slotService: CredentialService) {
        service = slotService
        account = ""
        kind = .slotKey
    }

    /// The reference in the form used by messages, for example `"https://sync.example.com/notes" for "ana" (password)`.
    public var description: String {
        account.isEmpty ? "\"\(service)\" (\(kind.rawValue))" : "\"\(service)\" for \"\(account)\" (\(kind.rawValue))"
    }
}

extension CredentialReference {
    /// The label for an item that was saved without one.
    var standardLabel: String { label(naming: "\(service)") }

    /// Returns the label of an item that is saved without one, with `name` in place of the service.
    package func label(naming name: String) -> String {
        let what =
            switch kind {
            case .password: "password"
            case .session: "session"
            case .clientIdentity: "client identity"
            case .bearer: "bearer token"
            case .slotKey: "database key"
            }
        return account.isEmpty ? "Sealite \(what) for \(name)" : "Sealite \(what) of \(account) for \(name)"
    }
}

/// The purpose of a credential: the endpoint of a server in its canonical form, or a name.
///
/// An endpoint (a text with `://`) is kept as `https` or `http` (for `wss` and `ws`), the host in lower case, the port
/// if it isn't the scheme's default, and the path without `_blipsync` and without trailing slashes. A user name and
/// password are removed. So `wss://Ana@Sync.example.com:443/notes/_blipsync` is `https://sync.example.com/notes`. Any
/// other text is a name and is kept unchanged.
public struct CredentialService: Sendable, Hashable, CustomStringConvertible {
    /// The text of the service, for an endpoint in its canonical form; stores save it and compare it byte by byte.
    public let canonical: String

    /// The maximum length of the canonical form, in UTF-8 bytes.
    public static let maximumByteCount = 2048

    /// Creates a service from an endpoint's URL or a name.
    ///
    /// - Throws: `invalidArgument` if the text is empty or contains control characters, if its canonical form is longer
    ///   than 2,048 bytes, or if it is an endpoint with another scheme, without a host, with a query or fragment, with
    ///   an invalid port, or with a space, a backslash or a character outside ASCII. The error never quotes a user name
    ///   or password.
    public init(_ text: String) throws(CredentialError) {
        guard !text.isEmpty else { throw Self.refused("is empty") }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Self.refused("holds a control character")
        }
        canonical = text.contains("://") ? try Self.canonicalEndpoint(text) : text
        guard canonical.utf8.count <= Self.maximumByteCount else {
            throw Self.refused("has \(canonical.utf8.count) bytes; the limit is \(Self.maximumByteCount)")
        }
    }

    /// Returns the service of the raw key of one key slot of a sealed database. Rotation, backup and copies of the file
    /// keep the slot's id, so the key is found for all of them.
    ///
    /// - Parameter slotID: the slot's id, 16 bytes.
    /// - Returns: `slot:` and the id in hexadecimal.
    public static func keySlot(_ slotID: [UInt8]) -> CredentialService {
        CredentialService(canonical: "slot:" + Hexadecimal.text(of: slotID))
    }

    /// Returns the service of the passwords and the certificate with which a document database is served.
    ///
    /// - Parameter serviceID: the result of `Database.serviceID()`, 32 hexadecimal digits.
    /// - Returns: `sealite-serve:` and the id.
    public static func server(_ serviceID: String) -> CredentialService {
        CredentialService(canonical: "sealite-serve:" + serviceID)
    }

    /// The canonical form of the service.
    public var description: String { canonical }

    /// The scheme if the service is an endpoint, `https` or `http`; otherwise nil.
    public var scheme: String? {
        if canonical.hasPrefix("https://") { return "https" }
        return canonical.hasPrefix("http://") ? "http" : nil
    }

    private init(canonical: String) {
        self.canonical = canonical
    }
}

extension CredentialService {
    private static func canonicalEndpoint(_ text: String) throws(CredentialError) -> String {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let (scheme, standardPort) = try canonicalScheme(parts[0].lowercased())
        let rest = parts[1]
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else { throw refused("has a query or fragment") }
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw refused("holds a space, a backslash or a character outside ASCII, which a URL has to escape")
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        // The user name and password end at the last "@" before the path.
        let hostStart = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
        let (host, port) = try hostAndPort(authority[hostStart...])
        let portSuffix = port.map { $0 == standardPort ? "" : ":\($0)" } ?? ""
        return "\(scheme)://\(host)\(portSuffix)\(canonicalPath(rest[slash...]))"
    }

    private static func canonicalScheme(_ scheme: String) throws(CredentialError) -> (String, Int) {
        switch scheme {
        case "https", "wss": return ("https", 443)
        case "http", "ws": return ("http", 80)
        default: throw refused("has a scheme that isn't one of https, http, wss and ws")
        }
    }

    private static func hostAndPort(_ text: Substring) throws(CredentialError) -> (String, Int?) {
        guard let authority = Authority(text), authority.portText?.contains(":") != true else {
            throw refused("has no host, or a host or port that isn't well formed")
        }
        let host = authority.host.lowercased()
        let written = authority.isBracketed ? "[\(host)]" : host
        guard let portText = authority.portText, !portText.isEmpty else { return (written, nil) }
        guard let port = authority.port else {
            throw refused("has a port that isn't a number from 1 to 65535")
        }
        return (written, port)
    }

    private static func canonicalPath(_ path: Substring) -> Substring {
        var result = path
        func dropSlashes() {
            while result.hasSuffix("/") { result = result.dropLast() }
        }
        dropSlashes()
        while result.hasSuffix("/_blipsync") {
            result = result.dropLast("/_blipsync".count)
            dropSlashes()
        }
        return result
    }

    private static func refused(_ why: String) -> CredentialError {
        CredentialError(
            .invalidArgument, "the service of the credential \(why)",
            hint: "give an endpoint such as https://host/database, or the name of a service, without ://")
    }
}

extension EndpointURL {
    /// Creates the URL of the endpoint in a credential's service. `https` becomes `wss`, `http` becomes `ws`.
    ///
    /// - Throws: `invalidURL`, also for a service that isn't an endpoint.
    package init(_ service: CredentialService) throws(TransportError) {
        let text = service.canonical
        try self.init((text.hasPrefix("https:") ? "wss" : "ws") + text.drop { $0 != ":" })
    }
}
