public import FoundationEssentials
public import SealiteJSON

// The module of this error does without Foundation.

extension JSONError: LocalizedError {
    /// The reason, and the offset in bytes at which the error was found.
    public var errorDescription: String? { "\(reason), at byte \(offset)" }
}
