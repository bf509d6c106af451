/// The error type of a caller of `JSONMemberReader`.
public protocol JSONFailure: Error {
    /// Creates the caller's error for an error of the reader.
    ///
    /// - Parameters:
    ///   - error: the error of the reader.
    ///   - byteCount: the length of the text.
    init(_ error: JSONError, byteCount: Int)
}
