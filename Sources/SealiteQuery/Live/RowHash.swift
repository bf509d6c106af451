/// A 128-bit hash of a row or of all rows of a result. The hash function has random keys, which differ in each process,
/// so that nobody can choose stored values for which two results count as equal.
struct RowHash: Sendable, Hashable {
    let first: UInt64
    let second: UInt64
}
