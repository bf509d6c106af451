/// A revision that was loaded to be sent, or the reason for which there is none.
package enum LoadedRevision: Sendable, Hashable {
    case found(OutgoingRevision)
    /// The database has no such document, not even a tombstone of it.
    case missing
    /// The document has another current revision than the requested one, and the request doesn't allow that one
    /// instead.
    case obsolete
}
