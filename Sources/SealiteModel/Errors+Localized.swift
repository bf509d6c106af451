public import Foundation
public import SealiteValues

extension SchemaError: LocalizedError {
    /// The same as the error's `description`.
    public var errorDescription: String? { description }
}

extension SchemaIssues: LocalizedError {
    /// The issues, one a line.
    public var errorDescription: String? { description }
}

// The module of these errors does without Foundation.

extension JSONSchemaError: LocalizedError {
    /// The same as the error's `description`.
    public var errorDescription: String? { description }
}

extension ExtendedJSONError: LocalizedError {
    /// The same as the error's `description`.
    public var errorDescription: String? { description }
}

extension BSONBytesError: LocalizedError {
    /// The same as the error's `description`.
    public var errorDescription: String? { description }
}
