import SealiteCrypto

/// The result of a key rotation.
public struct RotationReport: Sendable, Equatable {
    /// The number of pages that this call resealed.
    public let pagesResealed: Int
    /// The number of pages in the file at the end.
    public let pageCount: Int
    /// A Boolean value that says whether this call completed an interrupted rotation.
    public let wasResumed: Bool
    /// The epoch, that is, the number of the page key, that the pages are now sealed under. Each rotation raises it by
    /// one.
    public let epoch: UInt32
}
