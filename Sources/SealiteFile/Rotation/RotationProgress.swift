import SealiteCrypto

/// The progress of a key rotation.
public struct RotationProgress: Sendable, Equatable {
    /// The stages of a key rotation.
    public enum Stage: String, Sendable {
        /// Pages are being resealed, batch by batch.
        case resealing
        /// Every page is sealed under the new key; the WAL may still hold frames under the old one, which a reader may
        /// need.
        case waitingForReaders = "waiting-for-readers"
        /// The old keys have been removed from the header.
        case done
    }
    /// The stage that the rotation is in.
    public let stage: Stage
    /// The number of pages examined so far, in the order of the file.
    public let pagesDone: Int
    /// The number of pages in the file.
    public let pageCount: Int
    /// The page size in bytes.
    public let pageSize: Int
}
