internal import SealiteCredentials
internal import SealiteDatabase

// The subprotocols that transfer documents with revision trees, and those for version vectors
// (Documentation/Replication.md, "Who can sync with whom").
extension DocumentVersioning {
    private static let vectorProtocol = "BLIP_3+CBMobile_4"
    private static let treeProtocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]

    /// The subprotocols that the client offers to a remote, in order of preference. A database of version vectors
    /// offers those of revision trees too: a remote that supports only these then chooses one, instead of refusing the
    /// handshake, and the error names it.
    var offered: [String] { self == .trees ? Self.treeProtocols : [Self.vectorProtocol] + Self.treeProtocols }

    /// The subprotocols under which a database of this versioning replicates documents.
    var served: [String] { self == .trees ? Self.treeProtocols : [Self.vectorProtocol] }

    fileprivate var words: String { self == .trees ? "revision trees" : "version vectors" }
    fileprivate var other: DocumentVersioning { self == .trees ? .vectors : .trees }
}

extension ReplicatorError {
    /// The error for a remote that doesn't replicate documents of this side's versioning.
    ///
    /// - Parameters:
    ///   - own: the versioning of the local database.
    ///   - spoken: the version of the protocol that the remote chose; nil if it chose none of the offered subprotocols.
    /// - Returns: the error, whose text names the versioning of each side and a remedy.
    static func incompatible(_ own: DocumentVersioning, remote spoken: String? = nil) -> ReplicatorError {
        let advice =
            own == .trees
            ? "upgrade this database to version vectors, which can't be undone"
            : "upgrade the remote: a database to version vectors, a Sync Gateway to version 4"
        return ReplicatorError(
            .incompatibleVersioning,
            "this database has \(own.words), and the remote has \(own.other.words)"
                + (spoken.map { " (it chose the protocol \($0))" } ?? "") + "; \(advice)")
    }

    /// Returns the error for a refused handshake if the reason is that the remote supports no subprotocol for this
    /// database's versioning (revision trees or version vectors); nil for a refusal for another reason.
    static func incompatible(_ own: DocumentVersioning, refused error: TransportError) -> ReplicatorError? {
        switch error.code {
        // Couchbase Lite refuses an unknown subprotocol with this status and no reason.
        case .http(501): incompatible(own)
        // Sync Gateway and `ReplicationListener` list the subprotocols that they support.
        case .http(403), .http(500): error.reason.contains("+CBMobile_") ? incompatible(own) : nil
        default: nil
        }
    }

    /// Returns the error, with a text that names the versioning of each side and a remedy if its code is
    /// `incompatibleVersioning`; `own` is the versioning of the local database.
    func explained(_ own: DocumentVersioning) -> ReplicatorError {
        code == .incompatibleVersioning ? Self.incompatible(own) : self
    }
}
