/// The reason why a value can't be stored: where it stands and of which type it is, never its content.
public enum StoredValueError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A deprecated type, which is read and not stored: undefined, dbPointer and symbol.
    case refusedType(BSONType, path: String)
    /// A document that would be read as the wrapper of another type, such as a member `$oid` with 24 digits.
    case looksLikeWrapper(path: String)
    /// A document that has a name twice.
    case duplicateName(path: String)
    /// Documents and arrays nested deeper than 500 levels.
    case tooDeep

    /// A sentence about the failure.
    public var description: String {
        switch self {
        case .refusedType(let type, let path): "a value of type \(type.alias) isn't stored, but is at '\(path)'"
        case .looksLikeWrapper(let path): "the document at '\(path)' would be read as a value of another type"
        case .duplicateName(let path): "a document has the name '\(path)' twice"
        case .tooDeep: "documents and arrays are nested deeper than 500 levels"
        }
    }
}
