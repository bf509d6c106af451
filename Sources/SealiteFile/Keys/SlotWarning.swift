/// A warning about a key slot that doesn't prove who created the file.
public enum SlotWarning: Sendable, Equatable, CustomStringConvertible, Encodable {
    /// A recovery slot of an earlier version of Sealite unlocked the database. Anyone who has seen the recovery key's
    /// public half, which every header holds, can have created the whole file and can read all data that is written to
    /// it. `number` is the position of the slot in the header, counted from 1.
    case unauthenticatedRecoverySlot(number: Int)
    /// A header was written that still contains a recovery slot of an earlier version of Sealite, the one with this
    /// number, because another secret was used or the caller decided to keep the slot.
    case unauthenticatedSlotKept(number: Int)

    /// The warning as a sentence, in lower case and without a full stop.
    public var description: String {
        switch self {
        case .unauthenticatedRecoverySlot(let number):
            "key slot \(number) is a recovery slot of an earlier version, which doesn't prove who made the file: check the file"
                + " against a freshness record, or open it with another secret, before you trust it or change its keys"
        case .unauthenticatedSlotKept(let number):
            "key slot \(number) stays a recovery slot of an earlier version, and anyone who has seen its public key can forge a file"
                + " with such a slot: to replace it, give its recovery key with the next change of the file's keys"
        }
    }

    /// Encodes the warning as the string `description`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension OpenedRecovery {
    /// The warnings for a file that this recovery key unlocked; empty if the slot that it used is authenticated.
    package var warnings: [SlotWarning] {
        isAuthenticated ? [] : [.unauthenticatedRecoverySlot(number: slotNumber)]
    }
}

extension HeaderContent {
    /// The warnings for a header that is being written with these slots, one for each unauthenticated recovery slot.
    package var keptSlotWarnings: [SlotWarning] {
        slotInfos.filter { !$0.isAuthenticated }.map { .unauthenticatedSlotKept(number: $0.number) }
    }
}
