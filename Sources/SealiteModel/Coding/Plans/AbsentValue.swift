internal import SealiteJSON
internal import SealiteValues

/// The value of an absent member.
enum AbsentValue: Sendable {
    /// A constant, in JSONB.
    case constant([UInt8])
    /// The value in a new value of the type, such as the present time: the closure returns it in JSONB.
    case fresh(@Sendable () throws -> [UInt8])
}
