/// The changes that a transaction made to the per-document sync of a collection.
package struct SyncChanges: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Synced documents were added or removed, or their revisions at the remote have to be looked up.
    package static let documents = SyncChanges(rawValue: 1)
    /// Events were stored that are to be delivered to the application.
    package static let events = SyncChanges(rawValue: 2)
}
