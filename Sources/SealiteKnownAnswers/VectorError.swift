import SealiteCrypto

/// An error of a vector without a required field.
struct VectorError: Error, CustomStringConvertible {
    let field: String
    var description: String { "the vector has no valid field \"\(field)\"" }
}
