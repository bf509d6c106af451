/// A revision that was loaded to be sent, or the reason for which there is none.
package enum LoadedRevision: Sendable, Hashable {
    case found(OutgoingRevision)
    /// There is no such document.
    case missing
    /// The document has another current revision than the requested one.
    case obsolete
}
