internal import SealiteDatabase
internal import SealiteTransport

// The versions of the protocol that carry a versioning (Documentation/Replication.md, "Who can sync with whom").
extension DocumentVersioning {
    private static let vectorProtocol = "BLIP_3+CBMobile_4"
    private static let treeProtocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]

    /// The subprotocols that are offered to a peer, the preferred first. A peer that knows no vectors then takes one by which it can be told.
    var offered: [String] { self == .trees ? Self.treeProtocols : [Self.vectorProtocol] + Self.treeProtocols }

    /// The subprotocols under which documents are replicated.
    var served: [String] { self == .trees ? Self.treeProtocols : [Self.vectorProtocol] }
}

extension ReplicatorError {
    /// Makes the error of a peer that took a subprotocol which doesn't carry this side's versioning.
    init(peerOf versioning: DocumentVersioning, info: ConnectionInfo) {
        self.init(
            .incompatibleVersioning,
            "this database has \(versioning == .trees ? "revision trees" : "version vectors"), and the remote speaks "
                + "\(info.subprotocol): a remote that has both, or a database of revision trees, is needed")
    }
}
