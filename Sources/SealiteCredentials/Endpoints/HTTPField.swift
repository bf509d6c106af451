internal import SealiteCrypto

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
