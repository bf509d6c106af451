/// What a program should tell a person about how a database was unlocked.
public enum OpeningWarning: Sendable, Equatable, CustomStringConvertible {
    /// The database was unlocked by a recovery slot as earlier versions made them. Anyone who has seen the recovery key's public half,
    /// which stands in every header, can have made the whole file, and can read what is written into it. The number is the
    /// slot's.
    case unauthenticatedRecoverySlot(number: Int)

    /// A sentence for people: lower case, no full stop.
    public var description: String {
        switch self {
        case .unauthenticatedRecoverySlot(let number):
            "key slot \(number) is a recovery slot of an earlier version, which doesn't prove who made the file: check the file"
                + " against a freshness record, or open it with another secret, before you trust it or change its keys"
        }
    }
}

extension SealedDatabase {
    /// What to tell a person about how this handle was unlocked; empty where there is nothing to tell.
    public var openingWarnings: [OpeningWarning] {
        guard let recovery = ring.recovery, !recovery.isAuthenticated else { return [] }
        return [.unauthenticatedRecoverySlot(number: recovery.slotNumber)]
    }
}
