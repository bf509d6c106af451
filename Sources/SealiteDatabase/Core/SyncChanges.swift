/// The changes that a transaction made to the sync of a collection.
package struct SyncChanges: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Documents joined or left the set, or have to be looked up.
    package static let documents = SyncChanges(rawValue: 1)
    /// Events were stored and are to be delivered.
    package static let events = SyncChanges(rawValue: 2)
}
