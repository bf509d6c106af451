public import SealiteBase

/// The issues because of which a JSON Schema has no equivalent object types, and the other issues that were found.
public struct SchemaIssues: SealiteError, Sendable, Hashable {
    /// The issues in the order in which they were found.
    public let issues: [SchemaIssue]

    /// Creates an error with issues.
    public init(_ issues: [SchemaIssue]) { self.issues = issues }

    /// The issues, one a line.
    public var reason: String { description }
    /// The identifier of the error, which is `invalid-schema`.
    public var identifier: String { "invalid-schema" }
    /// The issues, one a line.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
