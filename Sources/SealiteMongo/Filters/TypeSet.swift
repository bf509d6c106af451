internal import SealiteValues

/// The set of BSON types that the operand of `$type` names.
struct TypeSet: Sendable, Equatable {
    private var bits: UInt64 = 0

    /// Adds a type.
    mutating func insert(_ type: BSONType) { bits |= Self.bit(type) }

    /// Returns a Boolean value that says whether a type is in the set.
    func contains(_ type: BSONType) -> Bool { bits & Self.bit(type) != 0 }

    private static func bit(_ type: BSONType) -> UInt64 {
        switch type {
        case .minKey: 1 << 40
        case .maxKey: 1 << 41
        default: 1 << UInt64(type.rawValue)
        }
    }
}
