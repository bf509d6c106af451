import SealiteFile

/// Two positions in the database's files with the same nonce.
public struct NonceRepetition: Sendable, Codable, Equatable {
    /// The first position, such as "page 7" or "WAL frame 12".
    public let first: String
    /// The second position, in the same form.
    public let second: String
}
