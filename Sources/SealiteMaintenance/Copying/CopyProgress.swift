internal import SealiteFile

/// The progress of a copy between plain and sealed databases.
public struct CopyProgress: Sendable, Equatable {
    /// The phases of a copy. The phase determines the unit of the numbers.
    public enum Phase: String, Sendable {
        /// The copy is written. Counts bytes; the total is an estimate.
        case copying
        /// Every table is compared with the source. Counts tables.
        case comparing
    }

    /// The phase that the copy is in.
    public let phase: Phase
    /// The number of bytes or tables, according to the phase, completed so far.
    public let completed: Int64
    /// The total number of bytes or tables in this phase.
    public let total: Int64
}
