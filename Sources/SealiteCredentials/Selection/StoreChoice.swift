internal import SealiteCrypto
internal import SealiteFile

/// The stores that a program can choose between.
public enum StoreChoice: String, Sendable, Hashable, CaseIterable {
    /// The desktop's Secret Service.
    case secretService = "secret-service"
    /// The vault, an encrypted file of this library.
    case vault
}
