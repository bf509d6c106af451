package import SealiteJSON

/// Reads a peer's JSON.
package typealias JSONReader = JSONMemberReader<MessageError>

/// Writes JSON for a peer.
package typealias JSONWriter = JSONTextWriter

extension MessageError: JSONFailure {
    /// Converts an error from reading a message's JSON, which has `byteCount` bytes.
    package init(_ error: JSONError, byteCount: Int) {
        switch error.code {
        case .malformed, .duplicateName:
            self.init(
                .notJSON,
                "the JSON is invalid, or an object in it has a name twice (at byte \(error.offset) of \(byteCount))")
        case .tooDeep: self.init(.tooLarge, "the JSON is \(error.reason)")
        case .tooMany: self.init(.tooLarge, error.reason)
        case .wrongKind, .outOfRange: self.init(.wrongShape, error.reason)
        }
    }
}
