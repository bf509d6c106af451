internal import SealiteValues

/// The document that `findOneAndUpdate` and `findOneAndReplace` return.
public enum ReturnDocument: Sendable, Hashable {
    /// The document before the change.
    case before
    /// The document after the change.
    case after
}
