/// A revision to send, or the reason for which there is none.
package enum LoadedRevision: Sendable, Hashable {
    case found(OutgoingRevision)
    /// There is no such document.
    case missing
    /// Another revision is current.
    case obsolete
}
