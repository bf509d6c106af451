internal import SealiteValues

/// The state of the changed document that `findOneAndUpdate` and `findOneAndReplace` return.
public enum ReturnDocument: Sendable, Hashable {
    /// The document before the change.
    case before
    /// The document after the change.
    case after
}
