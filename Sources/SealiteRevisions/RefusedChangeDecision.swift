/// The database's decision how to continue with a change that the peer refused because it has another version of the
/// document.
package enum RefusedChangeDecision: Sendable, Hashable {
    /// Propose the associated change: the document's current revision, with a version that the peer has as the one to
    /// replace.
    case propose(LocalChange)
    /// Nothing needs to be sent any more: the peer has or had the document's current revision, or the document is gone.
    case unnecessary
    /// The document's current revision isn't to be sent: the push filter or the selection rejects it, for example.
    case excluded
    /// The change conflicts with the peer's version of the document.
    case conflict
}
