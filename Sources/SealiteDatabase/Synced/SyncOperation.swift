/// A kind of change of a document in per-document sync.
package enum SyncOperation: UInt8, Sendable {
    case insert = 1
    case update = 2
    case replace = 3
    case delete = 4

    /// Returns the operation that an unsent change, if there is one, and a later change amount to; nil if they cancel
    /// each other out, which an insertion and a deletion do.
    package static func together(_ pending: SyncOperation?, _ new: SyncOperation) -> SyncOperation? {
        switch (pending, new) {
        case (.insert, .update), (.insert, .replace): .insert
        case (.insert, .delete): nil
        case (.delete, .insert): .replace
        default: new
        }
    }
}
