import SealiteCrypto

/// The error for a test vector in which a required field is missing or malformed, or doesn't belong to the others.
struct VectorError: Error, CustomStringConvertible {
    let field: String
    var description: String {
        "the field \"\(field)\" of the test vector is missing or malformed, or contradicts the other fields or a computed value"
    }
}
