internal import SealiteCrypto
internal import SealiteFile

/// The numbers of credentials that the import of an exported store saved and left unchanged.
public struct ImportReport: Sendable, Hashable {
    /// The number of credentials that were saved: new ones, and ones that replaced another secret.
    public let importedCount: Int
    /// The number of credentials of the file that the store already had, with the same secret.
    public let unchangedCount: Int
}
