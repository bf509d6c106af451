/// A revision that a remote refused.
package struct Refusal: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// The local sequence of the refused change.
    package var sequence: UInt64
    /// The domain that defines `code`: `HTTP` if `code` is an HTTP status.
    package var domain: String
    package var code: Int
    /// The reason of the refusal as text, which may include the remote's text.
    package var reason: String

    package init(
        documentID: String, version: Version, sequence: UInt64, domain: String, code: Int, reason: String
    ) {
        (self.documentID, self.version, self.sequence) = (documentID, version, sequence)
        (self.domain, self.code, self.reason) = (domain, code, reason)
    }
}
