internal import SealiteCrypto
internal import SealiteFile

/// The result of an import.
public struct ImportReport: Sendable, Hashable {
    /// The number of credentials that are new or were replaced.
    public let importedCount: Int
    /// The number of credentials that were stored already, with the same secret.
    public let unchangedCount: Int
}
