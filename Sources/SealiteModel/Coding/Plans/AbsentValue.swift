internal import SealiteJSON
internal import SealiteValues

/// The value with which an absent member is decoded.
enum AbsentValue: Sendable {
    /// A constant, in JSONB.
    case constant([UInt8])
    /// The member's value in a newly initialized value of the type, such as the present time; the closure initializes
    /// one and returns the member's value in JSONB.
    case fresh(@Sendable () throws -> [UInt8])
}
