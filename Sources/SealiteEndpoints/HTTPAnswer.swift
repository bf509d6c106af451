public import SealiteCrypto

/// A server's response to an HTTP request: the status, the headers, and the text of an error.
///
/// Descriptions leave out the values of headers that carry credentials.
public struct HTTPAnswer: Sendable {
    /// The HTTP status code.
    public let status: Int
    /// The headers in the order received, without `Set-Cookie`.
    public let headers: [HTTPField]
    /// The values of `Set-Cookie`, which are credentials, in the order received.
    public let cookies: [SharedSecret]
    /// The reason in the body of an error response (the member `reason` of a JSON body, otherwise the text of a text or
    /// HTML body), truncated to 200 characters; empty if there is none.
    public let message: String

    /// Creates a response; transports of sessions outside this package use this initializer too.
    public init(status: Int, headers: [HTTPField], cookies: [SharedSecret] = [], message: String = "") {
        self.status = status
        self.headers = headers
        self.cookies = cookies
        self.message = message
    }

    /// The first value of a header; nil if the header is missing. The case of the name is ignored.
    public subscript(name: String) -> String? { headers.first { $0.isNamed(name) }?.value }
}

extension HTTPAnswer: CustomStringConvertible, CustomReflectable {
    /// The status and the message, without a credential.
    public var description: String { "HTTP \(status)" + (message.isEmpty ? "" : ": \(message)") }
    /// A mirror for `dump` with the parts that contain no credential.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["status": status, "headers": headers, "cookieCount": cookies.count, "message": message])
    }
}

/// A header field of an HTTP request or response. Descriptions leave out values of headers that carry credentials.
public struct HTTPField: Sendable, Hashable {
    /// The name as given; upper and lower case mean the same.
    public let name: String
    /// The value of the header field.
    public let value: String

    /// Creates a header.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Returns whether the header has a name; the case is ignored.
    public func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

    /// A Boolean value that indicates whether the value is, or may be, a credential, judged by the header's name.
    package var isSecret: Bool {
        let lowered = name.lowercased()
        return ["authorization", "proxy-authorization", "cookie", "set-cookie"].contains(lowered)
            || ["token", "secret", "password", "api-key", "apikey", "auth"].contains { lowered.contains($0) }
                && lowered != "www-authenticate" && lowered != "proxy-authenticate"
    }
}

extension HTTPField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name and the value, or `(redacted)` in place of a value that is or may be a credential.
    public var description: String { "\(name): \(isSecret ? "(redacted)" : printable(value))" }
    /// The name and the value, or `(redacted)` in place of a value that is or may be a credential.
    public var debugDescription: String { description }
    /// A mirror for `dump` that omits a credential.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

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
