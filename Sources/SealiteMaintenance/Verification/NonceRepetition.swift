import SealiteFile

/// Two places with the same nonce.
public struct NonceRepetition: Sendable, Codable, Equatable {
    /// The first place, such as "page 7" or "WAL frame 12".
    public let first: String
    /// The second place.
    public let second: String
}
