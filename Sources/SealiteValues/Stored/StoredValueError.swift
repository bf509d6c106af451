public import SealiteBase

/// The error for a value that can't be stored in a document's body. It may have the value's path (names and indices
/// joined by dots) and type, never its content.
public enum StoredValueError: SealiteError, Sendable, Equatable {
    /// A deprecated type, which can be read and can't be stored: undefined, dbPointer or symbol.
    case refusedType(BSONType, path: String)
    /// A document that would be read as a wrapper of another type, because of a member such as `$oid` with 24 digits.
    case looksLikeWrapper(path: String)
    /// A document that contains a name twice; `path` ends with this name.
    case duplicateName(path: String)
    /// Documents and arrays nested deeper than 500 levels.
    case tooDeep

    /// The same as ``description``.
    public var reason: String { description }
    /// The case's name as lowercase words with hyphens, such as `too-deep`.
    public var identifier: String { Self.identifier(of: self) }
    /// A sentence about the failure, with the path and the type, never with the content.
    public var description: String {
        switch self {
        case .refusedType(let type, let path): "'\(path)' has the type \(type.alias), which can't be stored"
        case .looksLikeWrapper(let path):
            "the document at '\(path)' would be read back as a value of another type, because of a member such as $oid"
        case .duplicateName(let path): "two members of a document have the same path '\(path)'"
        case .tooDeep: "documents and arrays are nested deeper than 500 levels"
        }
    }
}
