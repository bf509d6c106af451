import SealiteFile

/// The result of `SealedDatabase.audit(progress:)`.
public struct AuditReport: Sendable, Codable, Equatable {
    /// The path of the database.
    public let path: String
    /// The header's public content: parameters, slots and epoch.
    public let header: PublicHeader
    /// The numbers of nonces, and the nonces that occur more than once.
    public let nonces: NonceSummary
    /// The database's files and their folder, with owners and modes.
    public let files: [AuditedFile]
    /// The files that crashes left behind.
    public let leftovers: [AbandonedFile]

    /// A Boolean value that says whether nothing requires action.
    public var isSound: Bool {
        nonces.repeated.isEmpty && files.allSatisfy { $0.concern == nil } && leftovers.isEmpty
            && !header.copies.contains { $0 == .tampered || $0 == .damaged }
    }
}
