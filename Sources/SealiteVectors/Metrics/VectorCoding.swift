/// The form in which an index stores the values of a vector. The raw values are stored in files.
package enum VectorCoding: String, Sendable, CaseIterable {
    /// Each value as a Float32.
    case none
    /// Each value as one of 16 steps, in four bits.
    case sq4 = "SQ4"
    /// Each value as one of 64 steps, in six bits.
    case sq6 = "SQ6"
    /// Each value as one of 256 steps, in eight bits.
    case sq8 = "SQ8"

    /// The size in bits of a value's code, or of the value itself for `none`.
    package var bitCount: Int {
        switch self {
        case .none: 32
        case .sq4: 4
        case .sq6: 6
        case .sq8: 8
        }
    }

    /// The greatest code of a value, and so the number of steps between the least and the greatest value; 0 for `none`.
    package var steps: Int { self == .none ? 0 : 1 << bitCount - 1 }

    /// Returns the size in bytes of a vector.
    package func byteCount(dimensions: Int) -> Int { (dimensions * bitCount + 7) / 8 }
}
