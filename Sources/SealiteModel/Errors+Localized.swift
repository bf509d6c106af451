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

// `JSONSchemaError`'s module doesn't import Foundation.

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

extension StoredValueError: LocalizedError {
    /// The same as the error's `description`.
    public var errorDescription: String? { description }
}

extension DocumentKey.Failure: LocalizedError {
    /// The reason why the value can't be a document's ID.
    public var errorDescription: String? {
        switch self {
        case .refusedType(let type): "a value of the type \(type.alias) can't be an ID"
        case .looksLikeWrapper:
            "the ID wouldn't be read back as the same value, for example because a document in it has a member such as '$oid'"
        case .tooLong(let count): "the ID takes \(count) bytes, more than \(DocumentKey.maximumByteCount)"
        }
    }
}
