public import FoundationEssentials
public import SealiteJSON

// The module of this error does without Foundation.

extension JSONError: LocalizedError {
    /// The reason, with the position.
    public var errorDescription: String? { "\(reason), at byte \(offset)" }
}
