/// What a handshake showed.
public struct ConnectionInfo: Sendable {
    /// The chosen subprotocol, as `BLIP_3+CBMobile_3`.
    public var subprotocol: String
    /// The HTTP answer to the upgrade. On the listener's side there is none.
    public var answer: HTTPAnswer?
    /// The peer's certificates, leaf first, as X.509 DER: the server's, or on the listener's side the client's. Empty
    /// without TLS.
    public var peerCertificates: [[UInt8]]
    /// The TLS version, as `TLSv1.3`; nil without TLS.
    public var tlsVersion: String?
    /// The address of the peer, as `127.0.0.1:4984`; without port where a trusted proxy named it.
    public var peerAddress: String
    /// The database that the client asked for; on the listener's side.
    public var database: String
    /// The user whose password the listener accepted; nil without one.
    public var user: String?

    package init(
        subprotocol: String = "BLIP_3+CBMobile_3", answer: HTTPAnswer? = nil, peerCertificates: [[UInt8]] = [],
        tlsVersion: String? = nil, peerAddress: String = "", database: String = "", user: String? = nil
    ) {
        self.subprotocol = subprotocol
        self.answer = answer
        self.peerCertificates = peerCertificates
        self.tlsVersion = tlsVersion
        self.peerAddress = peerAddress
        self.database = database
        self.user = user
    }

    /// The server's name for this connection in its own log (`X-Correlation-ID`); nil when it named none.
    public var correlationID: String? { answer?["X-Correlation-ID"] }
}

/// A server's answer to an upgrade: status, headers, the text of an error.
///
/// Descriptions leave out the values of headers that carry credentials.
public struct HTTPAnswer: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The headers in the order received, `Set-Cookie` excepted.
    public let headers: [HTTPField]
    /// The values of `Set-Cookie`, which are credentials, in the order received.
    public let cookies: [SharedSecret]
    /// The reason in an error's body (JSON's `reason`, or the text itself), cut to 200 characters; empty without one.
    public let message: String

    package init(status: Int, headers: [HTTPField], cookies: [SharedSecret] = [], message: String = "") {
        self.status = status
        self.headers = headers
        self.cookies = cookies
        self.message = message
    }

    /// The first value of a header, its name compared without regard to case.
    public subscript(name: String) -> String? { headers.first { $0.isNamed(name) }?.value }
}

extension HTTPAnswer: CustomStringConvertible, CustomReflectable {
    /// In words, without a credential.
    public var description: String { "HTTP \(status)" + (message.isEmpty ? "" : ": \(message)") }
    /// What `dump` shows, without a credential.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["status": status, "headers": headers, "cookieCount": cookies.count, "message": message])
    }
}

/// A header of an HTTP request or answer. Descriptions leave out values of headers that carry credentials.
public struct HTTPField: Sendable, Hashable {
    /// The name, in any case of letters.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a header.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether this is the header of a name, without regard to case.
    public func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

    /// Whether the value is, or may be, a credential.
    var isSecret: Bool {
        let lowered = name.lowercased()
        return ["authorization", "proxy-authorization", "cookie", "set-cookie"].contains(lowered)
            || ["token", "secret", "password", "api-key", "apikey", "auth"].contains { lowered.contains($0) }
                && lowered != "www-authenticate" && lowered != "proxy-authenticate"
    }
}

extension HTTPField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// In words, without a credential.
    public var description: String { "\(name): \(isSecret ? "(redacted)" : printable(value))" }
    /// In words, without a credential.
    public var debugDescription: String { description }
    /// What `dump` shows, without a credential.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}
