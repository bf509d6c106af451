internal import SealiteCredentials
internal import SealiteDatabase

// The versions of the protocol that carry a versioning (Documentation/Replication.md, "Who can sync with whom").
extension DocumentVersioning {
    private static let vectorProtocol = "BLIP_3+CBMobile_4"
    private static let treeProtocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]

    /// The subprotocols that are offered to a remote, the preferred first. A remote that knows no vectors then chooses
    /// one, and the error says so.
    var offered: [String] { self == .trees ? Self.treeProtocols : [Self.vectorProtocol] + Self.treeProtocols }

    /// The subprotocols under which documents are replicated.
    var served: [String] { self == .trees ? Self.treeProtocols : [Self.vectorProtocol] }

    fileprivate var words: String { self == .trees ? "revision trees" : "version vectors" }
    fileprivate var other: DocumentVersioning { self == .trees ? .vectors : .trees }
}

extension ReplicatorError {
    /// Returns the error for a remote that doesn't replicate documents of this side's versioning: which side has what,
    /// and what can be done.
    ///
    /// - Parameters:
    ///   - own: the versioning of the local database.
    ///   - spoken: the version of the protocol that the remote chose; nil if it chose none of those that were offered.
    static func incompatible(_ own: DocumentVersioning, remote spoken: String? = nil) -> ReplicatorError {
        let advice =
            own == .trees
            ? "upgrade this database to version vectors, which can't be undone"
            : "upgrade the remote: a database to version vectors, a Sync Gateway to version 4"
        return ReplicatorError(
            .incompatibleVersioning,
            "this database has \(own.words), and the remote has \(own.other.words)"
                + (spoken.map { " (it chose \($0))" } ?? "") + "; \(advice)")
    }

    /// Returns the error for a remote that refused a handshake because it speaks no version of the protocol that
    /// carries this side's versioning; nil for any other refusal.
    static func incompatible(_ own: DocumentVersioning, refused error: TransportError) -> ReplicatorError? {
        switch error.code {
        // Couchbase Lite answers so, without a word.
        case .http(501): incompatible(own)
        // Sync Gateway and this library's listener name what they speak.
        case .http(403), .http(500): error.reason.contains("+CBMobile_") ? incompatible(own) : nil
        default: nil
        }
    }

    /// Returns the error with the words of ``incompatible(_:remote:)`` if the remote said no more than that.
    func explained(_ own: DocumentVersioning) -> ReplicatorError {
        code == .incompatibleVersioning ? Self.incompatible(own) : self
    }
}
