/// A kind of change of a synced document.
package enum SyncOperation: UInt8, Sendable {
    case insert = 1
    case update = 2
    case replace = 3
    case delete = 4

    /// Returns what an unsent change and a later one are together; nil where nothing is left of them.
    package static func together(_ pending: SyncOperation?, _ new: SyncOperation) -> SyncOperation? {
        switch (pending, new) {
        case (.insert, .update), (.insert, .replace): .insert
        case (.insert, .delete): nil
        case (.delete, .insert): .replace
        default: new
        }
    }
}
