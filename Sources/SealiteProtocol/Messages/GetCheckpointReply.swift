internal import SealiteJSON

/// The reply to `getCheckpoint`: the replication checkpoint that the passive side has stored.
package struct GetCheckpointReply: Sendable, Hashable {
    /// The checkpoint's revision, which a later `setCheckpoint` request must name to replace it; empty if a peer's
    /// reply has none.
    package var revision: String
    /// The checkpoint's JSON.
    package var body: [UInt8]

    package init(revision: String, body: [UInt8]) {
        self.revision = revision
        self.body = body
    }

    /// Reads a peer's reply.
    package init(_ reply: BLIPReply) {
        revision = reply.properties["rev"] ?? ""
        body = reply.body
    }

    /// The reply to send.
    package var message: BLIPOutgoing { BLIPOutgoing(["rev": revision], body: body) }
}
