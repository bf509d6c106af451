/// A warning for a person about a key slot that doesn't prove who made the file.
public enum SlotWarning: Sendable, Equatable, CustomStringConvertible, Encodable {
    /// The database was unlocked by a recovery slot as earlier versions made them. Anyone who has seen the recovery key's public
    /// half, which stands in every header, can have made the whole file, and can read what is written into it. The number is the
    /// slot's.
    case unauthenticatedRecoverySlot(number: Int)
    /// A header that was written still has such a slot, which another secret or a person's decision let stay.
    case unauthenticatedSlotKept(number: Int)

    /// A sentence for people: lower case, no full stop.
    public var description: String {
        switch self {
        case .unauthenticatedRecoverySlot(let number):
            "key slot \(number) is a recovery slot of an earlier version, which doesn't prove who made the file: check the file"
                + " against a freshness record, or open it with another secret, before you trust it or change its keys"
        case .unauthenticatedSlotKept(let number):
            "key slot \(number) stays a recovery slot of an earlier version, to which anyone who has seen its public key can make a"
                + " file: replace it by a change of keys that is given its recovery key"
        }
    }

    /// Writes the sentence.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension OpenedRecovery {
    /// Warnings for a person about a file that was unlocked so.
    package var warnings: [SlotWarning] {
        isAuthenticated ? [] : [.unauthenticatedRecoverySlot(number: slotNumber)]
    }
}

extension HeaderContent {
    /// Warnings for a person about the slots of a header that is being written.
    package var keptSlotWarnings: [SlotWarning] {
        slotInfos.filter { !$0.isAuthenticated }.map { .unauthenticatedSlotKept(number: $0.number) }
    }
}
