/// The decision on a change that the peer refused because it has another version of the document.
package enum RefusedChangeDecision: Sendable, Hashable {
    /// Propose this change: the document's current revision, with an ancestor that the peer has.
    case propose(LocalChange)
    /// Nothing needs to be sent any more.
    case unnecessary
    /// The change conflicts with the peer's version.
    case conflict
}
