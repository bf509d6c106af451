internal import SealiteDatabase
internal import SealiteJSON

/// The body that is being written, and the state that all its encoders share.
///
/// Values are written at their final position in the body. Only containers that a type may write to in turns (nested
/// ones, and those of `superEncoder`) have a separate output, which is inserted when the enclosing value ends.
final class EncodingOutput {
    var writer: JSONBWriter
    /// The identity of the encoder of the innermost value that is being written; nil if no value is being written.
    var current: ObjectIdentifier?
    /// The blobs in the values that were written.
    var blobs: [Blob] = []
    /// The first error of a call that can't throw, thrown when the object ends; nil if there is none.
    var failure: EncodingError?
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// A Boolean value that says whether times are written in their full precision, for comparing values.
    let isExact: Bool

    init(capacity: Int, userInfo: [CodingUserInfoKey: any Sendable], isExact: Bool = false) {
        writer = JSONBWriter(capacity: capacity)
        (self.userInfo, self.isExact) = (userInfo, isExact)
    }
}
