/// The state of a document's row before a change.
struct EarlierState: Sendable {
    /// The maximum number of bytes of the states that a transaction keeps for one collection, or that one subscription
    /// keeps. Beyond this limit, states are unknown.
    static let byteLimit = 16 * 1024 * 1024

    /// The document's id.
    let id: String
    /// The sequence of the row before the change; nil if there was no row.
    let oldSequence: Int64?
    /// The properties before the change, in JSONB; nil if there was no document, or a deleted one.
    let body: [UInt8]?
    /// The sequence of the row after the change; if the row was removed, the sequence of the collection's last change.
    let newSequence: Int64
    /// A Boolean value that says whether the whole document was replaced by another one, not edited.
    let isReplacement: Bool

    /// The memory that the state takes, estimated in bytes.
    var byteCount: Int { 128 + (body?.count ?? 0) }
}
