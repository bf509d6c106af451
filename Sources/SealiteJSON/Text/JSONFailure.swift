/// An error type that a caller of `JSONMemberReader` chooses for the errors of the reader.
public protocol JSONFailure: Error {
    /// Creates the caller's error for an error of the reader.
    ///
    /// - Parameters:
    ///   - error: the error of the reader.
    ///   - byteCount: the length of the JSON text in bytes.
    init(_ error: JSONError, byteCount: Int)
}
