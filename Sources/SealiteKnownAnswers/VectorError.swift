import SealiteCrypto

/// The error for a vector in which a required field is missing or malformed.
struct VectorError: Error, CustomStringConvertible {
    let field: String
    var description: String { "the vector has no valid field \"\(field)\"" }
}
