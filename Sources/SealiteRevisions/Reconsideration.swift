/// The decision on a change that the peer refused because it has another version of the document.
package enum Reconsideration: Sendable, Hashable {
    /// This is to be proposed: the document's current revision, with the ancestor that the peer has.
    case propose(LocalChange)
    /// Nothing is to be sent any more.
    case unnecessary
    /// It conflicts.
    case conflict
}
