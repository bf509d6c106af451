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
