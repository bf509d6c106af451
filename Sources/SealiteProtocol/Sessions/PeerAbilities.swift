internal import SealiteJSON
internal import SealiteRevisions

/// The capabilities that the peer has named in its replies.
struct PeerAbilities: Sendable, Hashable {
    var maxHistory: Int?
    /// A Boolean value that says whether the peer finds blobs in the body itself.
    var understandsBlobs = false
    var acceptsDeltas = false
}
